from datetime import timedelta

import pytest

from coordstream.cli.arguments.ago import parse_ago


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
def test_a_length_of_time_is_read(text: str, ago: timedelta) -> None:
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
        *("P", "PT", "P1M", "P1Y", "PT2", "1.2.3h", "2h-30m"),
    ],
)
def test_another_text_is_none(text: str) -> None:
    assert parse_ago(text) is None
