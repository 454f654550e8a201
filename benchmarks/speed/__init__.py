"""Wall time and memory of the whole command, against other linters on the same files."""
