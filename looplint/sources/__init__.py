"""Files in, text out: discovery, reading, notebooks and documents, and writing repaired files.

In: paths and bytes. Out: `Source` (text with its encoding, line ends and notebook cells), and problems that name the file.
Imports: nothing but `finding` and `errors`.
"""
