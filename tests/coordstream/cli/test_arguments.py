"""Durations, times, numbers and ports as users type them."""

import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
import typer

from coordstream.cli.arguments import (
    MOST,
    parse_count,
    parse_duration,
    parse_duration_or_zero,
    parse_offset,
    parse_port,
    parse_replicas,
    parse_shift,
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
    ("text", "ago"),
    [
        ("2 hours ago", timedelta(hours=2)),
        ("2h", timedelta(hours=2)),
        ("90m", timedelta(minutes=90)),
        ("90 MIN", timedelta(minutes=90)),
        ("1 day, 6 h ago", timedelta(days=1, hours=6)),
        ("1h30m", timedelta(hours=1, minutes=30)),
        (" an hour ago ", timedelta(hours=1)),
        ("a second ago", timedelta(seconds=1)),
        ("3 weeks 1 sec", timedelta(weeks=3, seconds=1)),
        ("0s", timedelta()),
        ("-2h", timedelta(hours=2)),
        ("1.5 hours", timedelta(minutes=90)),
        ("PT2H", timedelta(hours=2)),
        ("-pt1h30m", timedelta(minutes=90)),
        ("P1DT0.5S", timedelta(days=1, milliseconds=500)),
        ("P2W", timedelta(weeks=2)),
    ],
)
def test_how_long_ago(text: str, ago: timedelta) -> None:
    assert parse_ago(text) == ago


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "ago",
            "2",
            "hours",
            "2 wours",
            "2 months ago",
            "yesterday",
            "-",
            "2026-01-31",
            "2h x",
            "2h from now",
            "٢h",
        ),
        *("P", "PT", "P1M", "P1Y", "PT2", "1.2.3h", "2h-30m", "--2h"),
    ],
)
def test_other_texts_do_not_say_how_long_ago(text: str) -> None:
    assert parse_ago(text) is None


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


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("007", 7), (" 7 ", 7), ("+7", 7), (str(MOST), MOST), (7, 7)])
def test_an_offset(text: str | int, number: int) -> None:
    assert parse_offset(text) == number


@pytest.mark.parametrize(
    "text", ["", "-1", "٣", "３", "1_000", "1,000", "1.0", "1e3", "0x7", str(MOST + 1), "9" * 5000]
)
def test_not_an_offset(text: str) -> None:
    with pytest.raises(typer.BadParameter) as refused:
        parse_offset(text)
    assert refused.value.message == f"{text!r}. Expected an offset, 0 or more."


def test_a_shift_may_be_negative_and_a_count_may_not_be_zero() -> None:
    assert (parse_shift("-150"), parse_count("1")) == (-150, 1)
    with pytest.raises(typer.BadParameter, match="'0'"):
        parse_count("0")


@pytest.mark.parametrize("text", ["0", "32768", "three"])
def test_replicas_are_a_number_of_16_bits(text: str) -> None:
    assert (parse_replicas("1"), parse_replicas("32767")) == (1, 32_767)
    with pytest.raises(typer.BadParameter) as refused:
        parse_replicas(text)
    assert refused.value.message == f"{text!r}. Expected a number from 1 to 32767."


@pytest.mark.parametrize(("text", "port"), [("0", 0), ("8470", 8470), ("65535", 65_535), (0, 0)])
def test_a_port(text: str | int, port: int) -> None:
    assert parse_port(text) == port


@pytest.mark.parametrize("text", ["", "-1", "65536", "99999", "123456", "http", "٨", "8.0"])
def test_a_port_that_does_not_exist(text: str) -> None:
    with pytest.raises(typer.BadParameter) as refused:
        parse_port(text)
    assert refused.value.message == f"{text!r}. Expected a port from 0 to 65535."


def test_a_silence_has_two_heartbeats_at_least() -> None:
    assert parse_silence("1m 30s") == 90
    with pytest.raises(typer.BadParameter, match=r"is too short\. Expected 10s or more"):
        parse_silence("9.9")
