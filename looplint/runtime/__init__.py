"""The recorded side: runs a script under hooks and reads back what happened in its training loop.

Its wings, in the order of dependency: `recording` (in the recorded process, alone with torch), `streams`, `evidence`, `harness`, `reporting`.
"""
