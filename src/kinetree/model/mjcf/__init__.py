"""MJCF, the format of MuJoCo: reading."""
