"""The command line itself."""

import pytest

from coordstream.cli import app
from coordstream.errors import CoordstreamError


def test_a_typer_that_is_older_than_click_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """It gives flags and choices wrong values: each command prints the version, or refuses its own defaults."""
    for typer, click in (("0.12.5", "8.1.8"), ("0.16.0", "8.5.1"), ("0.16.0rc1", "8.2.0")):
        monkeypatch.setattr(app, "version", {"click": click}.get)
        app._require_click(typer)
    with pytest.raises(CoordstreamError, match="Typer is too old for the installed Click"):
        app._require_click("0.15.4")
