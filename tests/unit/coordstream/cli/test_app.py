"""The command line itself."""

import pytest

from coordstream.cli.app import _print_version
from coordstream.errors import CoordstreamError


def test_a_typer_that_is_older_than_click_is_named() -> None:
    """Typer 0.12 with Click 8.3 calls it with this text, and gives the flags of commands wrong values, too."""
    with pytest.raises(CoordstreamError, match="too old for the installed Click"):
        _print_version("False")
