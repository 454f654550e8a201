"""Stands in for matplotlib: nothing is drawn."""
