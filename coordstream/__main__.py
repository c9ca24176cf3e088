"""``python -m coordstream`` runs the program ``coordstream``, as does this file for spark-submit."""

import os
import sys

# Python puts the folder of a file that it runs on the path, where our `http` would hide that of the standard library.
_FOLDER = os.path.dirname(os.path.realpath(__file__))  # noqa: PTH120 (imports as little as possible before)
sys.path[:] = [entry for entry in sys.path if os.path.realpath(entry) != _FOLDER]

from coordstream.cli.app import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
