"""The command line: one file a command.

In: the words of a command line. Out: text on standard output, and an exit code.
Imports: everything; what a command does not use it does not import.
"""
