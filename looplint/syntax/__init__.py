"""From text to small structured code, in one LibCST walk per module.

In: a `Source`. Out: `ir` (functions, classes, statements, expressions, each with its CST node), the modules of the project, rows and columns of nodes.
Imports: `sources`.
"""
