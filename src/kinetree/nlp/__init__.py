"""Nonlinear programs and their solvers: interior point, elastic mode, IPOPT. Nothing here knows of robots."""
