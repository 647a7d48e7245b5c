"""The figures of docs/benchmarks.md, each beside the best library of today: ``python -m benchmarks``."""
