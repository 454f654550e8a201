"""A round of first readings: what looplint says of repositories that nobody has read, kept as it is said, for somebody else to judge."""
