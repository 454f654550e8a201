"""Stands in for matplotlib: nothing is drawn."""

from absent import attribute as __getattr__

__all__ = ["__getattr__"]
