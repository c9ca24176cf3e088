"""``python -m coordstream`` runs the program ``coordstream``."""

import sys

from coordstream.cli.app import main

if __name__ == "__main__":
    sys.exit(main())
