"""What a recorded stream shows of a claim: measures, witnesses, and how findings and streams are joined.

In: streams and findings. Out: verdicts.
Imports: `streams`, `recording` for the names of its channels.
"""
