"""What looplint is measured against: real repositories, planted bugs, other tools."""
