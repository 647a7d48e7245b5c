"""Compiled functions on NVIDIA's cards: the driver, the arrays of other libraries there, code and calls."""
