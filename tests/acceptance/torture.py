"""How long the long tests are: short in every run of the tests, long with ``make torture``."""

import os
from typing import Final, TypeVar

IS_LONG: Final = os.environ.get("TEST_TORTURE") == "1"

Size = TypeVar("Size")


def scaled(short: Size, long: Size) -> Size:
    """The size of a test in this run."""
    return long if IS_LONG else short
