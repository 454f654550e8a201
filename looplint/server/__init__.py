"""The language server: findings, repairs and pages of rules in an editor.

Nothing outside of this folder needs what it imports.
"""
