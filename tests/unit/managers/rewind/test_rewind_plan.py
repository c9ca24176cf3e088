"""Plans of rewinds: the offset of each position, how it is limited to what the input has, and what it costs."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from eventlog.partition import SystemStreamPartition
from eventlog.starting_offset import StartingOffset
from managers.rewind.rewind_plan import Position, RewindPlan, Target, moves_of, place

SSP = SystemStreamPartition("kafka", "in", 0)
READER = ("t", SSP)


def position(start: int = 15, *, partition: SystemStreamPartition = SSP, task: str = "t") -> Position:
    decided = StartingOffset("checkpoint", starting_offset=str(start))
    return Position(task, partition, decided, str(start - 1), start, 5, 20)


def to(offset: int | None, **how: bool) -> Target:
    return Target("there", lambda _: offset, **how)


@pytest.mark.parametrize(
    ("start", "target", "offset", "finding"),
    [
        (15, to(5), 5, None),
        (15, to(2), 5, "before_oldest"),
        (15, to(20), 20, "skips_everything"),
        (15, to(21), 20, "skips_everything"),
        (15, to(5, is_time=True), 5, "before_oldest"),
        (15, to(6, is_time=True), 6, None),
        (15, to(20, refuses_beyond_end=True), 20, "skips_everything"),
        (20, to(21), 20, "beyond_end"),
    ],
)
def test_a_target_is_limited_to_the_input(start: int, target: Target, offset: int, finding: str | None) -> None:
    (placed,) = place([position(start)], target)
    assert (placed.to_offset, placed.finding) == (offset, finding)


@pytest.mark.parametrize(
    ("start", "target", "expected"),
    [
        (15, 7, range(7, 15)),
        (15, 18, range(15, 18)),
        (15, 15, range(15, 15)),
        (2, 7, range(5, 7)),  # the records before 5 are gone
        (25, 7, range(7, 20)),  # the checkpoint is beyond the end of an input that was created again
    ],
)
def test_only_records_that_the_input_has_are_affected(start: int, target: int, expected: range) -> None:
    (placed,) = place([position(start)], to(target))
    assert placed.affected == expected


def test_a_cost_has_a_bound_and_the_time_of_the_whole_task() -> None:
    second = SystemStreamPartition("kafka", "in", 1)
    placed = place([position(partition=second), position(), position(task="u")], to(7))
    first, other, unknown = moves_of(placed, {"t": 2.0, "u": 0}, ["counts"])
    assert (first.records_again, first.records_skipped) == (8, 0)
    assert (first.seconds_to_catch_up, other.seconds_to_catch_up, unknown.seconds_to_catch_up) == (13, 13, None)
    assert first.stores == ("counts",)


@pytest.mark.parametrize(
    "change",
    [
        {"moves": []},
        {"made_at": "2026-01-01T00:00:00"},
        {"unknown": 1},
        {"moves": [{"task_name": "t"}]},
    ],
)
def test_a_plan_is_read_whole_or_not_at_all(change: dict[str, Any]) -> None:
    moves = [move.model_dump(mode="json") for move in moves_of(place([position()], to(7)), {}, [])]
    named = {"job_name": "j", "job_id": "1", "target": "there", "made_at": "2026-01-01T00:00:00Z"}
    whole = {**named, "coordinator_stream_id": None, "moves": moves}
    assert RewindPlan.model_validate_json(json.dumps(whole)).offsets == {READER: 7}
    with pytest.raises(ValidationError):
        RewindPlan.model_validate_json(json.dumps({**whole, **change}))
