"""Plans of rewinds: the offset of each position, how it is limited to what the input has, and what it costs."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from eventlog.partition import SystemStreamPartition
from managers.rewind.rewind_plan import Move, Position, RewindPlan, Target, moves_of, with_times

READER = ("t", SystemStreamPartition("kafka", "in", 0))


def position(start: int = 15, *, partition: int = 0, task: str = "t") -> Position:
    return Position(
        task_name=task,
        system_name="kafka",
        stream_name="in",
        partition_id=partition,
        decided_by="checkpoint",
        startpoint_type=None,
        startpoint_value=None,
        checkpoint_offset=str(start - 1),
        oldest_offset=5,
        end_offset=20,
        from_offset=start,
    )


def moved(start: int, target: Target) -> Move:
    (move,) = moves_of([position(start)], target, [])
    return move


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
    move = moved(start, target)
    assert (move.to_offset, move.finding) == (offset, finding)


@pytest.mark.parametrize(
    ("start", "target", "again", "skipped"),
    [
        (15, 7, 8, 0),
        (15, 18, 0, 3),
        (15, 15, 0, 0),
        (2, 7, 0, 2),  # the records before 5 are gone
        (25, 7, 13, 0),  # the checkpoint is beyond the end of an input that was created again
    ],
)
def test_only_records_that_the_input_has_are_affected(start: int, target: int, again: int, skipped: int) -> None:
    move = moved(start, to(target))
    assert (move.records_again, move.records_skipped) == (again, skipped)


def test_a_cost_has_the_time_of_the_whole_task() -> None:
    positions = [position(partition=1), position(), position(task="u")]
    first, other, unknown = with_times(moves_of(positions, to(7), ["counts"]), {"t": 2.0, "u": 0})
    assert (first.seconds_to_catch_up, other.seconds_to_catch_up, unknown.seconds_to_catch_up) == (13, 13, None)
    assert first.stores == ("counts",)


@pytest.mark.parametrize(
    "change", [{"moves": []}, {"made_at": "2026-01-01T00:00:00"}, {"unknown": 1}, {"moves": [{"task_name": "t"}]}]
)
def test_a_plan_is_read_whole_or_not_at_all(change: dict[str, Any]) -> None:
    moves = [moved(15, to(7)).model_dump(mode="json")]
    named = {"job_name": "j", "job_id": "1", "target": "there", "made_at": "2026-01-01T00:00:00Z"}
    whole = {**named, "coordinator_stream_id": None, "moves": moves}
    assert RewindPlan.model_validate_json(json.dumps(whole)).offsets == {READER: 7}
    with pytest.raises(ValidationError):
        RewindPlan.model_validate_json(json.dumps({**whole, **change}))
