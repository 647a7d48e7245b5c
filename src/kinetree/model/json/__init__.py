"""The JSON form of a robot, which loses nothing: reading and writing."""
