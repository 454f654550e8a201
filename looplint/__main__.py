"""`python -m looplint`."""

from looplint.commands.cli import main

main()
