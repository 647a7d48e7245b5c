"""Derivatives of algorithms that are taken of their graphs: they need traced arguments, not numbers."""
