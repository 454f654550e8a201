"""Recording a script in a process of its own, and the recorded stream as values.

In: a script and what to watch. Out: `Stream`.
Imports: `flow.kinds`; it starts `recording` and does not import it.
"""
