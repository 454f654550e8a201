"""One LibCST walk a module: from text to small structured code.

In: a `Source`. Out: `ir` (functions, classes, statements, expressions, each with its CST node), the modules of the project, rows and columns of nodes.
Imports: `sources`.
"""
