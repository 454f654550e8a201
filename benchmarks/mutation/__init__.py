"""Recall: known bugs planted in correct scripts, and how many of them the linter names."""
