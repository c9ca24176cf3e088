import pytest
import typer

from coordstream.cli.arguments.input import Input, format_partitions, parse_input
from coordstream.errors import CoordstreamError

PAGE_VIEWS = ("kafka", "page-views")


@pytest.mark.parametrize(
    ("word", "given"),
    [
        ("kafka.page-views", Input(*PAGE_VIEWS)),
        ("kafka.page-views.3", Input(*PAGE_VIEWS, (3,))),
        ("kafka.page-views.0-3,5", Input(*PAGE_VIEWS, (0, 1, 2, 3, 5))),
        ("kafka.page-views.5,0-1,1", Input(*PAGE_VIEWS, (0, 1, 5))),
        ("kafka.page.views", Input("kafka", "page.views")),
        ("kafka.page.views.2", Input("kafka", "page.views", (2,))),
        ("kafka.page-views.x", Input("kafka", "page-views.x")),
        ("kafka.3", Input("kafka", "3")),
    ],
)
def test_a_stream_or_some_of_its_partitions(word: str, given: Input) -> None:
    assert parse_input(word, {PAGE_VIEWS, ("kafka", "page.views")}) == given
    if given.partitions is not None:
        assert parse_input(str(given), {PAGE_VIEWS}) == given


def test_known_streams_decide_between_two_readings() -> None:
    assert parse_input("k.a.5", {("k", "a.5")}) == Input("k", "a.5")
    assert parse_input("k.a.5", {("k", "a")}) == Input("k", "a", (5,))
    assert parse_input("k.a.5", set()) == Input("k", "a", (5,))


@pytest.mark.parametrize("known", [{("k", "a.2024-01")}, {("k", "a.2024-01"), ("k", "a")}])
def test_a_known_stream_may_end_in_an_invalid_range(known: set[tuple[str, str]]) -> None:
    assert parse_input("k.a.2024-01", known) == Input("k", "a.2024-01")


def test_ambiguous_inputs_are_refused_and_both_meanings_can_be_written() -> None:
    known = {("k", "a"), ("k", "a.5")}
    with pytest.raises(CoordstreamError, match=r"Use k\.a\.5\.0-N .* for the first, or k\.a\.5-5 for the second\."):
        parse_input("k.a.5", known)
    assert parse_input("k.a.5.0-3", known) == Input("k", "a.5", (0, 1, 2, 3))
    assert parse_input("k.a.5-5", known) == Input("k", "a", (5,))


@pytest.mark.parametrize("word", ["", "kafka", "kafka.", ".page-views", " .a"])
def test_invalid_inputs(word: str) -> None:
    with pytest.raises(typer.BadParameter, match=r"^Invalid input .*\. Expected SYSTEM\.STREAM or "):
        parse_input(word, {PAGE_VIEWS})


@pytest.mark.parametrize("word", ["kafka.page-views.3-1", "kafka.page-views.0-999999999"])
def test_invalid_ranges(word: str) -> None:
    with pytest.raises(typer.BadParameter, match="Use the lower number first, and at most 100000"):
        parse_input(word, {PAGE_VIEWS})


def test_partitions_are_formatted_as_ranges() -> None:
    assert format_partitions([5, 0, 1, 2, 3, 3]) == "0-3,5"
    assert format_partitions([7]) == "7"
    assert format_partitions([]) == ""
