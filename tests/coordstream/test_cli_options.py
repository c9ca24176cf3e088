from datetime import UTC, datetime

import pytest
import typer

from coordstream.cli.options import parse_time


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-31T12:00:00Z",
        "2026-01-31T12:00:00",
        "2026-01-31 13:00:00+01:00",
        "2026-01-31T12:00",
        "2026-01-31 12:00 UTC",
        "2026-01-31 12:00:00 gmt ",
    ],
)
def test_a_time_without_a_zone_is_utc(text: str) -> None:
    assert parse_time(text) == datetime(2026, 1, 31, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "2026-13-01",
        "12:00",
        "UTC",
        "2026-01-31 12:00+01:00 UTC",
        "9999-12-31T23:59:59-14:00",
        f"{10**9} weeks ago",
        f"{10**20} d",
    ],
)
def test_another_text_is_no_time(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="is no time, write it as 2026-01-31T12:00:00Z or '2 hours ago'"):
        parse_time(text)


def test_a_time_may_be_as_long_ago_as_one_says() -> None:
    noon = datetime(2026, 1, 31, 12, tzinfo=UTC)
    assert parse_time("2 hours ago", lambda: noon) == datetime(2026, 1, 31, 10, tzinfo=UTC)
