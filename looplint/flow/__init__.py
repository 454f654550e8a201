"""Events, the control-flow graph that they make, and typestate automata over it.

In: events as the interpreter emits them. Out: for each object, the states in which every event finds it.
Imports: `domain` and `syntax`.
"""
