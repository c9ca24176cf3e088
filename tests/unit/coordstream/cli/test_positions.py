"""Inputs, positions and offsets of tasks as users type them."""

from datetime import UTC, datetime

import pytest
import typer

from coordstream.cli.positions import Input, format_partitions, parse_input, parse_offsets_of_tasks, parse_position
from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import (
    Startpoint,
    StartpointOldest,
    StartpointSpecific,
    StartpointTimestamp,
    StartpointUpcoming,
)

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


@pytest.mark.parametrize(
    ("word", "known", "given"),
    [
        ("k.a.5", {("k", "a.5"), ("k", "a")}, Input("k", "a.5")),
        ("k.a.5-5", {("k", "a.5"), ("k", "a")}, Input("k", "a", (5,))),
        ("k.a.5.0-1", {("k", "a.5"), ("k", "a")}, Input("k", "a.5", (0, 1))),
        ("k.a.5", {("k", "a")}, Input("k", "a", (5,))),
        ("k.a.5", set(), Input("k", "a", (5,))),
        ("k.a.2024-01", {("k", "a.2024-01"), ("k", "a")}, Input("k", "a.2024-01")),
    ],
)
def test_known_streams_decide_between_two_readings(word: str, known: set[tuple[str, str]], given: Input) -> None:
    assert parse_input(word, known) == given


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


NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
NOON_MS = 1_769_860_800_000
HOUR_MS = 3_600_000


@pytest.mark.parametrize(
    ("text", "startpoint"),
    [
        ("oldest", StartpointOldest(NOON_MS)),
        (" Upcoming", StartpointUpcoming(NOON_MS)),
        ("0", StartpointSpecific("0", NOON_MS)),
        ("2", StartpointSpecific("2", NOON_MS)),
        ("20260131", StartpointSpecific("20260131", NOON_MS)),  # a number is an offset, also where ISO 8601 has a day
        ("123456789012345678901", StartpointSpecific("123456789012345678901", NOON_MS)),
        ("2 hours ago", StartpointTimestamp(NOON_MS - 2 * HOUR_MS, NOON_MS)),
        ("2h", StartpointTimestamp(NOON_MS - 2 * HOUR_MS, NOON_MS)),
        ("2026-01-31 11:00 UTC", StartpointTimestamp(NOON_MS - HOUR_MS, NOON_MS)),
        ("2026-01-31T11:00:00.250", StartpointTimestamp(NOON_MS - HOUR_MS + 250, NOON_MS)),
    ],
)
def test_a_word_an_offset_or_a_time(text: str, startpoint: Startpoint) -> None:
    read = parse_position(text, NOON)
    assert (type(read), read) == (type(startpoint), startpoint)


@pytest.mark.parametrize("text", ["", "latest", "-1", "1.5", "offset:", "noon", "12:00", "0x10", "٣"])
def test_invalid_positions(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="Use oldest, upcoming, an offset"):
        parse_position(text, NOON)


IN_0 = SystemStreamPartition("kafka", "in", 0)


@pytest.mark.parametrize(
    ("word", "task", "partition", "offset"),
    [
        ("P 0/kafka.in.0=42", "P 0", IN_0, "42"),
        ("a/b/kafka.in.0=0042", "a/b", IN_0, "0042"),
        ("t/kafka.my.topic.7=x=y", "t", SystemStreamPartition("kafka", "my.topic", 7), "x=y"),
        ("SystemStreamPartition [kafka, in, 0]/kafka.in.0=1", "SystemStreamPartition [kafka, in, 0]", IN_0, "1"),
    ],
)
def test_an_assignment_has_task_partition_and_offset(
    word: str, task: str, partition: SystemStreamPartition, offset: str
) -> None:
    assert parse_offsets_of_tasks([word]) == {task: {partition: offset}}


@pytest.mark.parametrize("word", ["", "t/kafka.in.0=", "kafka.in.0=1", "t/k.in.-1=1", "t/kafka.in.99999999999=1"])
def test_invalid_assignments(word: str) -> None:
    with pytest.raises(typer.BadParameter, match=r"^Invalid offset .*\. Expected TASK/SYSTEM"):
        parse_offsets_of_tasks(["t/kafka.in.1=1", word])


def test_assignments_are_grouped_by_task() -> None:
    words = ["t/kafka.in.0=1", "u/kafka.in.0=2", "t/kafka.in.1=3", "t/kafka.in.0=1"]
    in_1 = SystemStreamPartition("kafka", "in", 1)
    assert parse_offsets_of_tasks(words) == {"t": {IN_0: "1", in_1: "3"}, "u": {IN_0: "2"}}
    with pytest.raises(typer.BadParameter, match=r"'t/kafka\.in\.0' has two offsets"):
        parse_offsets_of_tasks(["t/kafka.in.0=1", "t/kafka.in.0=2"])
