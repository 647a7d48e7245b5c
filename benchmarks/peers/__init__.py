"""Kinetree beside other libraries, each in an environment of its own: ``python -m benchmarks.peers``.

One command installs them, runs one after the other, compares their values with Kinetree's and writes
``docs/comparison.md``. A worker script for each says how it is called (``protocol.py`` has what they share).
"""
