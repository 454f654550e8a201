"""Stands in for scipy, which does nothing."""

from absent import attribute as __getattr__

__all__ = ["__getattr__"]
