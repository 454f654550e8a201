"""What is in force for a file: options, configuration files, and where each value was said.

In: configuration files and the command line. Out: `Settings`.
Imports: `sources`, and of `knowledge` the kinds of own names.
"""
