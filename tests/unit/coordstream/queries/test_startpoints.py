import pytest

from coordstream.queries.startpoints import describe_place, describe_start, describe_startpoint
from eventlog.starting_offset import StartingOffset
from eventlog.startpoint import (
    Startpoint,
    StartpointOldest,
    StartpointSpecific,
    StartpointTimestamp,
    StartpointUpcoming,
)


@pytest.mark.parametrize(
    ("candidate", "words"),
    [
        ("specific 42", "at offset 42"),
        ("specific", "at offset "),
        ("timestamp 1700000000000", "at the first event since 2023-11-14 22:13:20 UTC"),
        ("timestamp 99999999999999999999", "at the first event since timestamp 99999999999999999999"),
        ("oldest", "at the oldest event"),
        ("upcoming", "with the next new event"),
        ("after 41 (version 1)", "after offset 41"),
        ("after a (b) c (set-checkpoint)", "after offset a (b) c"),
        ("fail\x1b[2J", "at fail\\x1b[2J"),
    ],
)
def test_where_a_candidate_starts(candidate: str, words: str) -> None:
    assert describe_place(candidate) == words


@pytest.mark.parametrize(
    ("startpoint", "words"),
    [
        (StartpointSpecific("7", 1), "at offset 7"),
        (StartpointTimestamp(1_700_000_000_000, 1), "at the first event since 2023-11-14 22:13:20 UTC"),
        (StartpointOldest(1), "at the oldest event"),
        (StartpointUpcoming(1), "with the next new event"),
        (StartpointSpecific(None, 1), "nowhere, because it has no value"),
    ],
)
def test_where_a_startpoint_starts(startpoint: Startpoint, words: str) -> None:
    assert describe_startpoint(startpoint) == words


@pytest.mark.parametrize(
    ("start", "words"),
    [
        (StartingOffset("startpoint", "specific", "7", "7"), "at offset 7 (startpoint)"),
        (StartingOffset("checkpoint", starting_offset="42"), "at offset 42 (checkpoint)"),
        (StartingOffset("checkpoint"), "after the last processed event (checkpoint)"),
        (StartingOffset("default", "upcoming"), "with the next new event (default)"),
        (StartingOffset("reset", "oldest"), "at the oldest event (reset)"),
    ],
)
def test_where_a_task_starts(start: StartingOffset, words: str) -> None:
    assert describe_start(start) == words
