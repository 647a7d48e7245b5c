"""Every figure that the papers publish beside what this package computes now: ``python -m papers``."""
