"""Bugs of training loops as public issue threads and fixes describe them: their forms, a minimal program of each, and what looplint finds of it."""
