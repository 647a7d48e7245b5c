"""What the curves of a plan describe: joints, a path parameter, independent joints, links, orientation parameters."""
