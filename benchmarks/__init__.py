"""The figures of the README, each beside the best library of today in the same run: ``python -m benchmarks``."""
