from datetime import UTC, datetime

import pytest
import typer

from coordstream.cli.arguments import cut_of
from coordstream.queries.cut import Cut

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)


def test_titles_name_the_cut() -> None:
    assert str(Cut()) == ""
    assert str(cut_of(NOON, None)) == " as of 2026-01-31 12:00:00 UTC"
    assert str(cut_of(None, 0)) == " as of offset 0"


def test_a_time_and_an_offset_cannot_be_combined() -> None:
    with pytest.raises(typer.BadParameter, match="cannot be used together"):
        cut_of(NOON, 0)
