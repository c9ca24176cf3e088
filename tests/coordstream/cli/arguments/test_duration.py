import pytest
import typer

from coordstream.cli.arguments.duration import parse_duration


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90), ("0.5", 0.5), ("90s", 90), ("5m", 300), ("1h 30m", 5400), ("an hour", 3600)]
)
def test_a_length_of_time(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "0", "-1", "0s", "soon", "nan", "inf", "1e300", "5 years", "99999999999w"])
def test_another_text_is_no_length_of_time(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="not a length of time: write seconds, or such as 90s, 5m or 1h"):
        parse_duration(text)
