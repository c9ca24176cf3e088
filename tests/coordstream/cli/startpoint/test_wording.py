import pytest

from coordstream.cli.startpoint.wording import events_between, events_words, listed, start_place, startpoint_place
from eventlog.partition import SystemStreamPartition
from eventlog.starting_offset import StartingOffset
from eventlog.startpoint import (
    Startpoint,
    StartpointOldest,
    StartpointSpecific,
    StartpointTimestamp,
    StartpointUpcoming,
)
from eventlog.system_admin import ResolvedStartpoint, SystemStreamPartitionMetadata
from managers.startpoints.startpoint_input import ResolvedInput
from managers.startpoints.startpoint_plan import Start

IN_0 = SystemStreamPartition("kafka", "in", 0)
SEVEN = StartpointSpecific("7", 1)
BY_SEVEN = StartingOffset("startpoint", "specific", "7", "7")


@pytest.mark.parametrize(
    ("startpoint", "words"),
    [
        (SEVEN, "at offset 7"),
        (StartpointTimestamp(1_700_000_000_000, 1), "at the first event since 2023-11-14 22:13:20 UTC"),
        (StartpointOldest(1), "at the oldest event"),
        (StartpointUpcoming(1), "with the next new event"),
        (StartpointSpecific(None, 1), "nowhere, since it names no place"),
    ],
)
def test_where_a_startpoint_begins(startpoint: Startpoint, words: str) -> None:
    assert startpoint_place(startpoint) == words


@pytest.mark.parametrize(
    ("start", "words"),
    [
        (BY_SEVEN, "at offset 7 (startpoint)"),
        (StartingOffset("checkpoint", starting_offset="42"), "at offset 42 (checkpoint)"),
        (StartingOffset("checkpoint"), "after what was processed last (checkpoint)"),
        (StartingOffset("default", "upcoming"), "with the next new event (default)"),
        (StartingOffset("reset", "oldest"), "at the oldest event (reset)"),
    ],
)
def test_where_a_task_begins(start: StartingOffset, words: str) -> None:
    assert start_place(start) == words


@pytest.mark.parametrize(
    ("before", "after", "count"),
    [
        (StartingOffset("checkpoint", starting_offset="42"), BY_SEVEN, 35),
        (StartingOffset("default", "oldest"), BY_SEVEN, 0),
        (StartingOffset("default", "upcoming"), BY_SEVEN, 93),
        (StartingOffset("checkpoint", starting_offset="2"), BY_SEVEN, -5),
        (StartingOffset("checkpoint"), BY_SEVEN, None),
        (StartingOffset("checkpoint", starting_offset="x"), BY_SEVEN, None),
        (StartingOffset("startpoint", "timestamp", "5"), BY_SEVEN, None),
        (StartingOffset("default", "oldest"), StartingOffset("startpoint", "specific", "8", "8"), None),
    ],
)
def test_events_are_counted_where_offsets_tell(
    before: StartingOffset, after: StartingOffset, count: int | None
) -> None:
    answer = ResolvedInput({0: SystemStreamPartitionMetadata("7", "99", "100")}, {0: ResolvedStartpoint("7")}, {})
    assert events_between(Start("t", IN_0, before, after), SEVEN, answer) == count
    assert events_between(Start("t", IN_0, before, after), SEVEN, ResolvedInput({}, {}, {})) is None


def test_counts_have_words() -> None:
    assert [events_words(count) for count in (3, 0, -2, None)] == ["3 again", "0 again", "2 left out", None]


def test_many_texts_are_cut_short() -> None:
    assert listed(["a", "b", "c"]) == "a, b, c"
    assert listed(list("abcde")) == "a, b, c and 2 more"
