from datetime import timedelta

import pytest

from coordstream.cli.ago import parse_ago


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
    ],
)
def test_a_length_of_time_is_read(text: str, ago: timedelta) -> None:
    assert parse_ago(text) == ago


@pytest.mark.parametrize(
    "text",
    ["", "ago", "2", "hours", "2 wours", "2 months ago", "yesterday", "-2h", "2026-01-31", "2h x", "2h from now", "٢h"],
)
def test_another_text_is_none(text: str) -> None:
    assert parse_ago(text) is None
