"""The abstract interpreter: statements, expressions and calls over the abstract domain.

In: the `ir` of a module. Out: the graph of events of everything that is reached from the module's roots.
What library calls do it finds by their effect (`transfers`), and where the syntax gives libraries a say it runs what is registered (`hooks`);
both are filled by `semantics`. Imports: `flow`, `domain`, `knowledge` and `syntax`.
"""
