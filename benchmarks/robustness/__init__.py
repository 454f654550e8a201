"""Programs made to break looplint: how its time and memory grow with them."""
