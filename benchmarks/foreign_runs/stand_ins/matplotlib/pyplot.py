"""Anything that a script draws with, which draws nothing."""

from absent import attribute as __getattr__

__all__ = ["__getattr__"]
