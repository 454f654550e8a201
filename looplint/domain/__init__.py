"""The abstract domain: what a name can hold.

In: nothing. Out: abstract values and objects, and how they are joined.
Imports: `syntax` and `knowledge`.
"""
