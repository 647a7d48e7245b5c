"""Triangle meshes of model files: reading them, and the mass of what they enclose."""
