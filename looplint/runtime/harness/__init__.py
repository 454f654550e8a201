"""The runs that users and the project ask for: `looplint run`, `looplint verify`, comparisons, the reference loop.

In: scripts, fixtures, settings. Out: what each run showed.
Imports: `evidence`, `streams`, and the linter.
"""
