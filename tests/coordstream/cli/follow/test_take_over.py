"""How long a follower may be silent, as people type it."""

import pytest
import typer

from coordstream.cli.follow.take_over import parse_silence


@pytest.mark.parametrize(
    ("text", "seconds"), [("60s", 60), ("2 minutes", 120), ("10", 10), ("1h", 3600), ("1m 30s", 90), (" 45s ", 45)]
)
def test_a_length_of_time(text: str, seconds: float) -> None:
    assert parse_silence(text) == seconds


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        *((text, "Invalid duration") for text in ("", "soon", "-5", "0", "nan", "9" * 20 + "d")),
        *((text, "is too short: heartbeats come every 5 s, so give 10s or more") for text in ("9s", "9.9")),
    ],
)
def test_what_is_no_length_of_time_or_too_short(text: str, reason: str) -> None:
    with pytest.raises(typer.BadParameter, match=reason):
        parse_silence(text)
