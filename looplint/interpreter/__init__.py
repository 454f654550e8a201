"""The abstract interpreter: statements, expressions and calls over the abstract domain.

In: the `ir` of a module. Out: the graph of events of everything that is reached from the module's roots.
Imports: `flow`, `domain`, `knowledge` and `syntax`; what the calls of libraries do it finds by their effect, registered in `semantics`.
"""
