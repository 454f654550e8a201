"""From sources to findings: single files, many files, cache, suppressions and baselines.

In: sources and settings. Out: findings, and the repairs that were proved and applied.
Imports: everything below, and of `repairs` its door; not `report`, `commands`, `server`, `runtime`.
"""
