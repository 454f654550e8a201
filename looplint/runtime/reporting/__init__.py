"""Runs as tables and as pages.

In: what the harness gives. Out: text and HTML.
Imports: `harness` and those before it.
"""
