"""The repairs: a class for each, with what it is planned from as its fields.

In: what a report asks for. Out: text edits, or the reason why there are none; what no edit names stays byte for byte.
Imports: queries, domain, flow, syntax, sources, finding; not the rules that ask for it.
"""
