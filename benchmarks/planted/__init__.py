"""Bugs planted in real code by its syntax alone, and how many of them looplint finds.

Nothing of looplint chooses the places: `planting` reads a file with `ast`, changes lines, and names the rules that should report it.
"""
