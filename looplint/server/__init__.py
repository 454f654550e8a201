"""The language server: findings, repairs and pages of rules in an editor.

In: requests of an editor. Out: diagnostics, actions and edits.
Imports: `linting` and those before it, and pygls, which nothing outside this folder needs.
"""
