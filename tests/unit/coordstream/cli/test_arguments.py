"""Durations, times, numbers and ports as users type them."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone

import pytest
import typer

from coordstream.cli.arguments import (
    MOST,
    cut_of,
    parse_count,
    parse_duration,
    parse_duration_or_zero,
    parse_offset,
    parse_port,
    parse_replicas,
    parse_silence,
    parse_time,
)
from coordstream.times import parse_ago


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        *(("90", 90), ("0.5", 0.5), ("90s", 90), ("5m", 300), ("1h 30m", 5400), (" an hour ", 3600)),
        *(("PT1H30M", 5400), ("365d", 365 * 86_400)),
    ],
)
def test_durations(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(
    "text",
    [
        *("", "0", "-1", "0s", "soon", "nan", "inf", "1e300", "5 years", "366d", "99999999999w"),
        *("-60s", "-PT1M", "60s ago", "an hour ago"),
    ],
)
def test_invalid_durations(text: str) -> None:
    with pytest.raises(typer.BadParameter) as refusal:
        parse_duration(text)
    assert refusal.value.message == (
        f'Invalid duration {text!r}. Use seconds, or units as in "90s", "5m" or "1h 30m"; '
        "more than 0, at most 365 days."
    )


@pytest.mark.parametrize(("text", "seconds"), [("0", 0), ("0s", 0), (30.0, 30), ("5m", 300)])
def test_durations_or_zero(text: str | float, seconds: float) -> None:
    assert parse_duration_or_zero(text) == seconds


@pytest.mark.parametrize("text", ["-1", "soon", "nan", "366d"])
def test_invalid_durations_or_zero(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="; 0 or more, at most 365 days"):
        parse_duration_or_zero(text)


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        *(("2 hours ago", 120), ("90m", 90), ("90 MIN", 90), ("1 day, 6 h ago", 1800), ("1h30m", 90), ("0s", 0)),
        *((" an hour ago ", 60), ("3 weeks 60 sec", 30_241), ("-2h", 120), ("1.5 hours", 90), ("PT2H", 120)),
        *(("-pt1h30m", 90), ("P1DT30S", 1440.5), ("P2W", 20_160)),
        *((text, None) for text in ("", "ago", "2", "hours", "2 wours", "2 months ago", "-", "2h x", "٢h", "2h-30m")),
        *((text, None) for text in ("P", "PT", "P1M", "P1Y", "PT2", "1.2.3h", "--2h")),
    ],
)
def test_how_long_ago(text: str, minutes: float | None) -> None:
    assert parse_ago(text) == (None if minutes is None else timedelta(minutes=minutes))


SENTENCE = re.escape('Use ISO 8601 (2026-01-31T12:00Z), a duration ("90m", "2 hours ago") or "now".')


@pytest.mark.parametrize(
    "text", ["2026-01-31T12:00:00", "2026-01-31 13:00:00+01:00", "2026-01-31 12:00 UTC", "2026-01-31 12:00:00 gmt "]
)
def test_a_time_without_a_zone_is_utc(text: str) -> None:
    assert parse_time(text) == datetime(2026, 1, 31, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        *("", "noon", "now UTC", "2h UTC", "yesterday 25:00", f"{10**30}", "-5", "2026-13-01", "12:00", "UTC"),
        *("2026-01-31 12:00+01:00 UTC", "9999-12-31T23:59:59-14:00", f"{10**9} weeks ago", f"{10**20} d"),
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


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("007", 7), (" 7 ", 7), ("+7", 7), (str(MOST), MOST), (7, 7)])
def test_an_offset(text: str | int, number: int) -> None:
    assert parse_offset(text) == number


@pytest.mark.parametrize(
    ("parse", "text", "expected"),
    [
        *((parse_offset, text, "an offset, 0 or more") for text in ("", "-1", "٣", "1_000", "1e3", str(MOST + 1))),
        (parse_offset, "9" * 5000, "an offset, 0 or more"),
        (parse_count, "0", "a number, 1 or more"),
        (parse_replicas, "32768", "a number from 1 to 32767"),
        (parse_port, "65536", "a port from 0 to 65535"),
    ],
)
def test_not_a_number_in_the_range(parse: Callable[[str | int], int], text: str, expected: str) -> None:
    with pytest.raises(typer.BadParameter) as refused:
        parse(text)
    assert refused.value.message == f"{text!r}. Expected {expected}."


def test_a_silence_has_two_heartbeats_at_least() -> None:
    assert parse_silence("1m 30s") == 90
    with pytest.raises(typer.BadParameter, match=r"is too short\. Expected 10s or more"):
        parse_silence("9.9")


def test_a_time_and_an_offset_cannot_be_combined() -> None:
    noon = datetime(2026, 1, 31, 12, tzinfo=UTC)
    assert list(map(str, (cut_of(None, None), cut_of(noon, None), cut_of(None, 0)))) == [
        *("", " as of 2026-01-31 12:00:00 UTC", " as of offset 0")
    ]
    with pytest.raises(typer.BadParameter, match="cannot be used together"):
        cut_of(noon, 0)
