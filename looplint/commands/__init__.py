"""The command line: one file per command.

A command is a file with `command`, what click calls, and `HELP`, its row in `looplint --help`: place, heading, usage, description. Nothing else names it.

In: the words of a command line. Out: text on standard output, and an exit code.
Imports: everything; what a command does not use it does not import.
"""
