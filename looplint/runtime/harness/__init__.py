"""The runs of `looplint run` and `looplint verify`, comparisons, and the reference loop.

In: scripts, fixtures, settings. Out: what each run showed.
Imports: `evidence`, `streams`, and the linter.
"""
