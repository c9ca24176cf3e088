"""Durations, times, numbers and ports as users type them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from coordstream.cli import main
from coordstream.cli.arguments import MOST, parse_duration, parse_duration_or_zero, parse_offset, parse_time
from coordstream.times import parse_ago


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        *(("90", 90), ("0.5", 0.5), ("90s", 90), ("5m", 300), ("1h 30m", 5400), (" an hour ", 3600)),
        ("365d", 365 * 86_400),
    ],
)
def test_durations(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(("text", "seconds"), [("0", 0), ("0s", 0), (30.0, 30), ("5m", 300)])
def test_durations_or_zero(text: str | float, seconds: float) -> None:
    assert parse_duration_or_zero(text) == seconds


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        *(("2 hours ago", 120), ("90m", 90), ("90 MIN", 90), ("1 day, 6 h ago", 1800), ("1h30m", 90), ("0s", 0)),
        *((" an hour ago ", 60), ("3 weeks 60 sec", 30_241), ("1.5 hours", 90)),
        *((text, None) for text in ("", "ago", "2", "hours", "2 wours", "2 months ago", "-", "2h x", "٢h", "2h-30m")),
        *((text, None) for text in ("-2h", "PT2H", "1.2.3h")),
    ],
)
def test_how_long_ago(text: str, minutes: float | None) -> None:
    assert parse_ago(text) == (None if minutes is None else timedelta(minutes=minutes))


@pytest.mark.parametrize(
    "text", ["2026-01-31T12:00:00", "2026-01-31 13:00:00+01:00", "2026-01-31 12:00 UTC", "2026-01-31 12:00:00 gmt "]
)
def test_a_time_without_a_zone_is_utc(text: str) -> None:
    assert parse_time(text) == datetime(2026, 1, 31, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("now", "2026-01-31T12:00:30Z"),
        ("2 hours ago", "2026-01-31T10:00:30Z"),
        ("today", "2026-01-31T00:00:00Z"),
        ("Yesterday", "2026-01-30T00:00:00Z"),
        ("20260131", "2026-01-31T00:00:00Z"),
        ("1769860800250", "2026-01-31T12:00:00.250Z"),
        ("1000", "1970-01-01T00:00:01Z"),
    ],
)
def test_relative_times_days_and_milliseconds(text: str, time: str) -> None:
    noon = datetime(2026, 1, 31, 13, 0, 30, tzinfo=timezone(timedelta(hours=1)))
    assert parse_time(text, lambda: noon) == datetime.fromisoformat(time)


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("007", 7), (" 7 ", 7), ("+7", 7), (str(MOST), MOST), (7, 7)])
def test_an_offset(text: str | int, number: int) -> None:
    assert parse_offset(text) == number


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("lag --watch 1s --json", "'--watch' cannot be used"),
        ("lag --stored --input-bootstrap-servers h:1", "'--stored' cannot be used"),
        ("checkpoint write j --yes", "need offsets"),
        ("config history j --until 1d --since now", "'--since' is after '--until'"),
        ("log show s --from 5 --to 3", "'--from' is after '--to'"),
        ("config diff j --from now --to 10d", "'--from' is after '--to'"),
        ("rewind plan j --to-latest -o -", "'--output' is a file"),
    ],
)
def test_options_that_contradict_each_other_are_refused(
    line: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(line.split()) == 2
    assert reason in capsys.readouterr().err
