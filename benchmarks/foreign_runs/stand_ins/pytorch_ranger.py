"""Stands in for pytorch_ranger, which does nothing."""

from absent import attribute as __getattr__

__all__ = ["__getattr__"]
