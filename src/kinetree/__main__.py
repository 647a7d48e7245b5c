"""``python -m kinetree``: the same as the command ``kinetree``."""

import sys

from kinetree.cli import main

if __name__ == "__main__":
    sys.exit(main())
