import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
import typer

from coordstream.cli.arguments.time import parse_time

SENTENCE = re.escape('Use ISO 8601 (2026-01-31T12:00Z), a duration ("90m", "2 hours ago") or "now".')


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
        "noon",
        "now UTC",
        "2h UTC",
        "yesterday 25:00",
        f"{10**30}",
        "-5",
        "2026-13-01",
        "12:00",
        "UTC",
        "2026-01-31 12:00+01:00 UTC",
        "9999-12-31T23:59:59-14:00",
        f"{10**9} weeks ago",
        f"{10**20} d",
    ],
)
def test_invalid_times(text: str) -> None:
    with pytest.raises(typer.BadParameter, match=SENTENCE):
        parse_time(text)


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("now", "2026-01-31T12:00:30Z"),
        ("2 hours ago", "2026-01-31T10:00:30Z"),
        ("-90m", "2026-01-31T10:30:30Z"),
        ("PT2H", "2026-01-31T10:00:30Z"),
        ("today", "2026-01-31T00:00:00Z"),
        ("Yesterday", "2026-01-30T00:00:00Z"),
        ("yesterday 14:30 UTC", "2026-01-30T14:30:00Z"),
        ("20260131", "2026-01-31T00:00:00Z"),
        ("1769860800250", "2026-01-31T12:00:00.250Z"),
        ("1000", "1970-01-01T00:00:01Z"),
    ],
)
def test_relative_times_days_and_milliseconds(text: str, time: str) -> None:
    noon = datetime(2026, 1, 31, 13, 0, 30, tzinfo=timezone(timedelta(hours=1)))
    assert parse_time(text, lambda: noon) == datetime.fromisoformat(time)


def test_seconds_since_1970_are_refused() -> None:
    with pytest.raises(typer.BadParameter, match="Use 1769860800000 or 2026-01-31T12:00:00Z") as refusal:
        parse_time("1769860800")
    assert "Invalid time '1769860800': it looks like seconds" in str(refusal.value)


def test_how_long_ago() -> None:
    noon = datetime(2026, 1, 31, 12, tzinfo=UTC)
    assert parse_time("2 hours ago", lambda: noon) == datetime(2026, 1, 31, 10, tzinfo=UTC)
