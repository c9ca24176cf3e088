"""``python -m coordstream`` runs the program ``coordstream``, as does this file for spark-submit."""

import sys

from coordstream.cli.app import main

if __name__ == "__main__":
    sys.exit(main())
