"""From sources to findings: one file judged, many files, and what is kept, silenced or already known.

In: sources and settings. Out: findings, and the repairs that were proved and applied.
Imports: everything below, and of `repairs` its door; not `report`, `commands`, `server`, `runtime`.
"""
