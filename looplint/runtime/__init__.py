"""The recorded side: runs a script under hooks and reads back what happened in its training loop.

Only the modules that run in the recorded process (`child`, `tape`, `measure`, `hooks_*`) and the programs that they run need torch; the rest reads text.
"""
