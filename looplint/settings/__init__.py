"""The effective settings of a file: options, configuration files, and the origin of each value.

In: configuration files and the command line. Out: `Settings`.
Imports: `sources`, and of `knowledge` the kinds of own names.
"""
