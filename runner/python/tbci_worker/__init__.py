"""What tbci's workers in Python share, and the decorator of the functions that it measures: see ../worker.py."""

from .functions import Setup, Unsupported, benchmark

__all__ = ["Setup", "Unsupported", "benchmark"]
