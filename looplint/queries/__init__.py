"""What rules ask: the program with its events, objects and states, and questions that several rules share.

In: the graph and the facts. Out: `Program`, and answers in terms of events and objects.
Imports: `semantics` and those before it.
"""
