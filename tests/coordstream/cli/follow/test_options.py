"""The options of `coordstream follow`."""

import pytest
import typer

from coordstream.cli.follow.options import parse_silence


@pytest.mark.parametrize(
    ("text", "seconds"), [("60s", 60), ("2 minutes", 120), ("10", 10), ("1h", 3600), ("1m 30s", 90), (" 45s ", 45)]
)
def test_a_silence_is_a_duration(text: str, seconds: float) -> None:
    assert parse_silence(text) == seconds


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        *((text, "Invalid duration") for text in ("", "soon", "-5", "0", "nan", "9" * 20 + "d")),
        *((text, "is too short. Expected 10s or more") for text in ("9s", "9.9")),
    ],
)
def test_an_invalid_or_too_short_duration_is_refused(text: str, reason: str) -> None:
    with pytest.raises(typer.BadParameter, match=reason):
        parse_silence(text)
