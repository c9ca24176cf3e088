"""Targets of rewinds: the offset of each position, and how it is limited to what the input has."""

import pytest

from eventlog.partition import SystemStreamPartition
from eventlog.starting_offset import StartingOffset
from managers.rewind.rewind_cost import CostFacts, Counted, affected_range, cost_of_moves
from managers.rewind.rewind_errors import InvalidRewind
from managers.rewind.rewind_targets import (
    Position,
    Target,
    place,
    require_readers,
    shifted_by,
    to_earliest,
    to_latest,
    to_offset,
    to_offsets,
    to_partition_offsets,
    to_time,
)

SSP = SystemStreamPartition("kafka", "in", 0)
BUCKET = SystemStreamPartition("kafka", "in", 0, 1)
READER = ("t", SSP)


def position(
    start: int = 15, *, partition: SystemStreamPartition = SSP, task: str = "t", reach: tuple[int, int] = (5, 20)
) -> Position:
    decided = StartingOffset("checkpoint", starting_offset=str(start))
    return Position(task, partition, decided, str(start - 1), start, *reach)


@pytest.mark.parametrize(
    ("target", "requested", "offset", "finding"),
    [
        (to_earliest(), 5, 5, None),
        (to_latest(), 20, 20, "skips_everything"),
        (to_offset(7), 7, 7, None),
        (to_offset(2), 2, 5, "before_oldest"),
        (to_offset(20), 20, 20, "skips_everything"),
        (shifted_by(-3), 12, 12, None),
        (shifted_by(-16), -1, 5, "before_oldest"),
        (shifted_by(5), 20, 20, "skips_everything"),
        (shifted_by(6), 21, 20, "skips_everything"),
        (to_time("then", {SSP: 5}), 5, 5, "before_oldest"),
        (to_time("then", {SSP: 6}), 6, 6, None),
        (to_offsets("a file", {READER: 9}), 9, 9, None),
        (to_partition_offsets("a group", {SSP: 9}), 9, 9, None),
    ],
)
def test_a_target_is_limited_to_the_input(target: Target, requested: int, offset: int, finding: str | None) -> None:
    (placed,) = place([position()], target)
    assert (placed.requested_offset, placed.to_offset, placed.finding) == (requested, offset, finding)


def test_a_task_at_the_end_skips_nothing() -> None:
    (placed,) = place([position(20)], shifted_by(1))
    assert (placed.to_offset, placed.finding) == (20, "beyond_end")


@pytest.mark.parametrize("target", [to_offset(21), to_offsets("a file", {READER: 21})])
def test_a_given_offset_beyond_the_end_is_refused(target: Target) -> None:
    with pytest.raises(InvalidRewind, match=r"^Offset 21 of kafka\.in\.0 is beyond its end, 20\. Use --to-latest"):
        place([position()], target)


def test_positions_without_an_offset_stay() -> None:
    other = position(task="u")
    assert [each.position.task_name for each in place([position(), other], to_offsets("f", {READER: 9}))] == ["t"]
    assert place([other], to_time("then", {})) == []
    (bucket,) = place([position(partition=BUCKET)], to_partition_offsets("a group", {SSP: 9}))
    assert bucket.to_offset == 9


def test_unknown_tasks_and_partitions_are_named() -> None:
    require_readers([READER], [READER])
    with pytest.raises(InvalidRewind, match=r"^The job has no task 'T' with inputs\. Its tasks: t\."):
        require_readers([("T", SSP)], [READER])
    with pytest.raises(InvalidRewind, match=r"^Task 't' does not read kafka\.in\.0.*\. It reads: kafka\.in\.0\.$"):
        require_readers([("t", BUCKET)], [READER])


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
    (placed,) = place([position(start)], to_offset(target))
    assert affected_range(placed) == expected


def test_a_cost_has_counts_or_bounds_and_the_time_of_the_whole_task() -> None:
    second = SystemStreamPartition("kafka", "in", 1)
    placed = place([position(partition=second), position(), position(task="u")], to_offset(7))
    first, other, unknown = cost_of_moves(placed, CostFacts({READER: Counted(3, 60)}, {"t": 2.0, "u": 0}, ["counts"]))
    assert (first.records_again, first.bytes, first.is_counted) == (3, 60, True)
    assert (other.records_again, other.bytes, other.is_counted) == (8, None, False)
    assert (first.seconds_to_catch_up, other.seconds_to_catch_up, unknown.seconds_to_catch_up) == (13, 13, None)
    assert first.stores == ("counts",)


def test_a_move_forward_skips_and_one_to_the_same_offset_costs_nothing() -> None:
    (ahead,) = cost_of_moves(place([position()], to_offset(18)), CostFacts({}, {}, ["counts"]))
    assert (ahead.records_again, ahead.records_skipped, ahead.stores) == (0, 3, ("counts",))
    (same,) = cost_of_moves(place([position()], to_offset(15)), CostFacts({}, {}, ["counts"]))
    assert (same.records_again, same.records_skipped, same.stores) == (0, 0, ())
