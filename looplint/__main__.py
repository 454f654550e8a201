"""`python -m looplint`."""

from looplint.cli import main

main()
