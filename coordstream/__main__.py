"""``python -m coordstream`` runs the program ``coordstream``, as does this file for spark-submit."""

import sys

if not __package__:  # run as a file: import the package that it is in, not its modules, nor the zip for executors
    sys.path[0] = __file__.rpartition("/coordstream/")[0]

from coordstream.cli.app import main

if __name__ == "__main__":
    sys.exit(main())
