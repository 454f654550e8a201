"""What runs in the recorded process: hooks into torch, and the tape they write.

In: a script. Out: a stream of events with measurements, one JSON object a line.
Imports: `flow.kinds`; the only wing that imports torch.
"""
