"""What the papers publish as results beside what this package computes now: ``python -m papers``."""
