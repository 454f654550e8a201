"""looplint: a static analyser and autofixer for PyTorch training loops."""

__version__ = "0.1.0"
