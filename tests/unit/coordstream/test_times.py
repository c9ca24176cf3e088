from datetime import UTC, datetime
from typing import Final

import pytest

from coordstream.times import exact, in_words, parse_ago

NOW: Final = datetime(2026, 1, 31, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("time", "words"),
    [
        ("2026-01-31T12:00:00Z", "now"),
        ("2026-01-31T11:59:58.5Z", "a second ago"),
        ("2026-01-31T11:55:00.000001Z", "5 minutes ago"),
        ("2026-01-31T10:00:00Z", "2 hours ago"),
        ("2026-01-28T12:00:00Z", "3 days ago"),
        ("2024-12-31T12:00:00Z", "1 year, 1 month ago"),
        ("2026-01-31T13:10:00Z", "an hour from now"),
        ("20260-01-31T12:00:00.5Z", "20260-01-31 12:00:00"),
        ("0044-03-15T12:00:00Z BC", "0044-03-15 12:00:00Z BC"),
    ],
)
def test_a_relative_time(time: str, words: str) -> None:
    assert in_words(time, NOW) == words


@pytest.mark.parametrize(
    ("time", "shown"),
    [
        ("2026-01-31T12:00:00Z", "2026-01-31 12:00:00.000"),
        ("2026-01-31T12:00:00.5Z", "2026-01-31 12:00:00.500"),
        ("2026-01-31T12:00:00.123999Z", "2026-01-31 12:00:00.123"),
        ("20260-01-31T12:00:00.5Z", "20260-01-31 12:00:00.500"),
        ("0044-03-15T12:00:00Z BC", "0044-03-15 12:00:00.000 BC"),
        ("infinity", "infinity"),
    ],
)
def test_an_exact_time_has_milliseconds(time: str, shown: str) -> None:
    assert exact(time) == shown


@pytest.mark.parametrize("time", ["2026-01-31T11:59:58Z", "2026-01-31T11:00:00Z", "2026-01-30T12:00:00Z"])
def test_relative_times_can_be_parsed(time: str) -> None:
    assert parse_ago(in_words(time, NOW)) == NOW - datetime.fromisoformat(time)
