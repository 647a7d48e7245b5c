"""Obstacles: shapes, their distances with derivatives, and how near a motion comes to them."""
