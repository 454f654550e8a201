"""What the calls of libraries do: transfer functions, one file for each kind of thing.

In: a call's arguments and the interpreter's state. Out: the call's value, and the events and writes it causes.
Imports: `interpreter` and those before it.
"""
