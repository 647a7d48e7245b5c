"""DH tables from rows, mappings, CSV and TOML."""
