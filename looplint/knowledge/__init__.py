"""What PyTorch and the libraries around it do, as tables from qualified names to effects.

In: a qualified name, or a method and the kind of its object. Out: the name of an effect. Tables only, no code of the analysis.
Imports: nothing.
"""
