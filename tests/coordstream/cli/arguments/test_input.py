import pytest
import typer

from coordstream.cli.arguments.input import GivenInput, parse_input, spelled_partitions
from coordstream.errors import CoordstreamError

PAGE_VIEWS = ("kafka", "page-views")


@pytest.mark.parametrize(
    ("word", "given"),
    [
        ("kafka.page-views", GivenInput(*PAGE_VIEWS)),
        ("kafka.page-views.3", GivenInput(*PAGE_VIEWS, (3,))),
        ("kafka.page-views.0-3,5", GivenInput(*PAGE_VIEWS, (0, 1, 2, 3, 5))),
        ("kafka.page-views.5,0-1,1", GivenInput(*PAGE_VIEWS, (0, 1, 5))),
        ("kafka.page.views", GivenInput("kafka", "page.views")),
        ("kafka.page.views.2", GivenInput("kafka", "page.views", (2,))),
        ("kafka.page-views.x", GivenInput("kafka", "page-views.x")),
        ("kafka.3", GivenInput("kafka", "3")),
    ],
)
def test_a_stream_or_some_of_its_partitions(word: str, given: GivenInput) -> None:
    assert parse_input(word, {PAGE_VIEWS, ("kafka", "page.views")}) == given
    if given.partitions is not None:
        assert parse_input(str(given), {PAGE_VIEWS}) == given


def test_a_stream_that_ends_like_a_partition_is_told_by_what_is_known() -> None:
    assert parse_input("k.a.5", {("k", "a.5")}) == GivenInput("k", "a.5")
    assert parse_input("k.a.5", {("k", "a")}) == GivenInput("k", "a", (5,))
    assert parse_input("k.a.5", set()) == GivenInput("k", "a", (5,))


@pytest.mark.parametrize("known", [{("k", "a.2024-01")}, {("k", "a.2024-01"), ("k", "a")}])
def test_a_known_stream_may_end_in_what_is_no_range(known: set[tuple[str, str]]) -> None:
    assert parse_input("k.a.2024-01", known) == GivenInput("k", "a.2024-01")


def test_what_can_be_read_in_two_ways_is_refused_and_both_can_be_written() -> None:
    known = {("k", "a"), ("k", "a.5")}
    with pytest.raises(CoordstreamError, match=r"write k\.a\.5\.0-N with .* for the first, k\.a\.5-5 for the second"):
        parse_input("k.a.5", known)
    assert parse_input("k.a.5.0-3", known) == GivenInput("k", "a.5", (0, 1, 2, 3))
    assert parse_input("k.a.5-5", known) == GivenInput("k", "a", (5,))


@pytest.mark.parametrize("word", ["", "kafka", "kafka.", ".page-views", " .a"])
def test_another_word_is_no_input(word: str) -> None:
    with pytest.raises(typer.BadParameter, match=r"is no input: write SYSTEM\.STREAM"):
        parse_input(word, {PAGE_VIEWS})


@pytest.mark.parametrize("word", ["kafka.page-views.3-1", "kafka.page-views.0-999999999"])
def test_a_range_rises_and_has_bounds(word: str) -> None:
    with pytest.raises(typer.BadParameter, match="write the lower first, and at most 100000"):
        parse_input(word, {PAGE_VIEWS})


def test_partitions_are_spelled_short() -> None:
    assert spelled_partitions([5, 0, 1, 2, 3, 3]) == "0-3,5"
    assert spelled_partitions([7]) == "7"
    assert spelled_partitions([]) == ""
