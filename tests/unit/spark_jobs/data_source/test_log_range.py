"""Ranges of logs are distributed over partitions, of which there is a maximum; filters select logs and offsets."""

import pytest

from spark_jobs.data_source.log_range import LAST_OFFSET, MOST_PARTITIONS, Log, LogRange, Selection, partitions_of


def log_range(number: int, first: int, until: int) -> LogRange:
    return LogRange(Log(f"log-{number}", "coordinator"), first, until)


def test_long_ranges_are_split_and_short_ones_share_a_partition() -> None:
    ranges = [log_range(0, 5, 25), log_range(1, 0, 3), log_range(2, 0, 7), log_range(3, 0, 1), log_range(4, 0, 12)]
    planned = [
        [(each.log.stream_name, each.first, each.until) for each in one.ranges] for one in partitions_of(ranges, 10)
    ]
    assert planned == [
        [("log-0", 5, 15)],
        [("log-0", 15, 25)],
        [("log-1", 0, 3), ("log-2", 0, 7)],
        [("log-3", 0, 1), ("log-4", 0, 9)],
        [("log-4", 9, 12)],
    ]


@pytest.mark.parametrize("length", [1, 1_000, 1 << 61])
@pytest.mark.parametrize("count", [1, 3 * MOST_PARTITIONS])
def test_there_are_not_too_many_partitions(length: int, count: int) -> None:
    ranges = [log_range(number, 7, 7 + length) for number in range(count)]
    partitions = partitions_of(ranges, 1)
    assert len(partitions) <= MOST_PARTITIONS
    planned = [each for one in partitions for each in one.ranges]
    assert sum(len(each) for each in planned) == length * count
    assert [each.until for each in planned if each.log == ranges[0].log][-1] == 7 + length


NAME = "__samza_coordinator_counts_1"

ARCHIVED = Log(NAME, "coordinator", incarnation=2)
RECORDED = Log(NAME, "coordinator")


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ({"EqualTo": 5}, (5, 6)),
        ({"GreaterThan": 5}, (6, LAST_OFFSET)),
        ({"GreaterThanOrEqual": 5}, (5, LAST_OFFSET)),
        ({"LessThan": 5}, (0, 5)),
        ({"LessThanOrEqual": 5}, (0, 6)),
        ({"GreaterThan": 2, "GreaterThanOrEqual": 1, "LessThan": 7, "LessThanOrEqual": 9}, (3, 7)),
    ],
)
def test_filters_on_the_offset_limit_the_range(conditions: dict[str, int], expected: tuple[int, int]) -> None:
    selection = Selection()
    assert all(selection.take("log_offset", kind, value) for kind, value in conditions.items())
    assert selection.apply([LogRange(ARCHIVED, 0, LAST_OFFSET)]) == [LogRange(ARCHIVED, *expected)]


@pytest.mark.parametrize(
    ("column", "kind", "value", "expected"),
    [
        ("stream_name", "EqualTo", NAME, True),
        ("stream_name", "EqualTo", "other", False),
        ("stream_name", "In", ("other", NAME), True),
        ("stream_name", "StringStartsWith", "__samza_coordinator_", True),
        ("stream_name", "StringStartsWith", "coordinator_", False),
        ("stream_kind", "In", ("checkpoint",), False),
        ("incarnation", "EqualTo", 1, False),
    ],
)
def test_a_condition_selects_logs(column: str, kind: str, value: object, expected: bool) -> None:
    selection = Selection()
    assert selection.take(column, kind, value)
    assert bool(selection.apply([LogRange(ARCHIVED, 0, 1)])) is expected


def test_ranges_are_cut_and_those_without_offsets_are_left_out() -> None:
    selection = Selection()
    for column, kind, value in (("incarnation", "EqualTo", 2), ("log_offset", "GreaterThan", 2)):
        assert selection.take(column, kind, value)
    assert selection.take("log_offset", "LessThan", 7)
    ranges = [LogRange(ARCHIVED, 0, 5), LogRange(ARCHIVED, 5, 9), LogRange(ARCHIVED, 7, 9), LogRange(RECORDED, 0, 9)]
    assert selection.apply(ranges) == [LogRange(ARCHIVED, 3, 5), LogRange(ARCHIVED, 5, 7)]


@pytest.mark.parametrize(
    ("column", "kind"), [("key", "EqualTo"), ("log_offset", "StringStartsWith"), ("incarnation", "LessThan")]
)
def test_other_filters_are_left_to_spark(column: str, kind: str) -> None:
    assert not Selection().take(column, kind, "x")
