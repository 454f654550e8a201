"""Bugs that public repositories had and repaired: what looplint says of the commit before the repair, and of the repair."""
