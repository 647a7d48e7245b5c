"""`.par` files of SYMORO: reading."""
