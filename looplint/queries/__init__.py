"""What rules ask: the program with its events, objects and states, and questions that several rules share.

In: what the interpreter followed. Out: `Program`, and answers in terms of events and objects.
Imports: `semantics` and those before it.
"""
