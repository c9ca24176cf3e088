import pytest
import typer

from coordstream.cli.arguments.number import MOST, parse_count, parse_offset, parse_replicas, parse_shift


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
