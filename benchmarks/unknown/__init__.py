"""What looplint says of real files when what they import is hidden from it."""
