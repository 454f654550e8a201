"""Runs as tables and as pages.

In: the results of the harness. Out: text and HTML.
Imports: `harness` and those before it.
"""
