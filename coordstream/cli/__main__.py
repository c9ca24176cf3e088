"""``python -m coordstream.cli`` runs the program ``coordstream``, as ``python -m coordstream`` does."""

import sys

from coordstream.cli.app import main

sys.exit(main())
