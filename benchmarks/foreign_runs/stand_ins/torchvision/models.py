"""Stands in for the pretrained models of torchvision, which does nothing."""

from absent import attribute as __getattr__

__all__ = ["__getattr__"]
