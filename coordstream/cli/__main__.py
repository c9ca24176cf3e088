"""``python -m coordstream.cli`` is ``coordstream``."""

import sys

from coordstream.cli.app import main

sys.exit(main())
