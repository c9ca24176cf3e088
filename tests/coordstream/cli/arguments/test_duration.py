from datetime import timedelta

import pytest
import typer

from coordstream.cli.arguments.duration import parse_duration, parse_duration_or_zero
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
