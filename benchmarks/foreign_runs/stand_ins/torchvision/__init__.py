"""Stands in for torchvision: the data sets the scripts train on, with a few random images, so that nothing is downloaded."""

from torchvision import datasets, models, transforms, utils

__all__ = ["datasets", "models", "transforms", "utils"]
