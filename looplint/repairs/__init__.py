"""The repairs: a class for each, whose fields are what it is planned from.

In: what a report asks for. Out: text edits, or the reason why there are none; what no edit names stays byte for byte.
Imports: queries, domain, flow, syntax, sources, finding; not the rules that ask for it.
"""
