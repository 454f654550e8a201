"""Stands in for scikit-learn, which does nothing."""

from absent import attribute as __getattr__

__all__ = ["__getattr__"]
