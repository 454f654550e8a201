"""Files in, text out: which files there are, what is in them, and writing back what a repair changed.

In: paths and bytes. Out: `Source` (text with its encoding, line ends and notebook cells), and problems that name the file.
Imports: nothing but `finding` and `errors`.
"""
