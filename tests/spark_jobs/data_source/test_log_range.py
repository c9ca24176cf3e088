"""Ranges of logs are distributed over partitions, of which there is a maximum."""

from typing import ClassVar

import pytest

from spark_jobs.data_source.log_range import MOST_PARTITIONS, Log, LogRange, partitions_of


def log_range(number: int, first: int, until: int) -> LogRange:
    return LogRange(Log(f"log-{number}", "coordinator"), first, until)


def test_long_ranges_are_split_and_short_ones_share_a_partition() -> None:
    ranges = [log_range(0, 5, 25), log_range(1, 0, 3), log_range(2, 0, 7), log_range(3, 0, 1)]
    planned = [
        [(each.log.stream_name, each.first, each.until) for each in one.ranges] for one in partitions_of(ranges, 10)
    ]
    assert planned == [
        [("log-0", 5, 15)],
        [("log-0", 15, 25)],
        [("log-1", 0, 3), ("log-2", 0, 7)],
        [("log-3", 0, 1)],
    ]


@pytest.mark.parametrize("length", [1, 1_000, 1 << 61])
@pytest.mark.parametrize("count", [1, 3 * MOST_PARTITIONS])
def test_there_are_not_too_many_partitions(length: int, count: int) -> None:
    ranges = [log_range(number, 7, 7 + length) for number in range(count)]
    partitions = partitions_of(ranges, 1)
    assert len(partitions) <= MOST_PARTITIONS + 1
    planned = [each for one in partitions for each in one.ranges]
    assert sum(len(each) for each in planned) == length * count
    assert [each.until for each in planned if each.log == ranges[0].log][-1] == 7 + length


class CountingRange(LogRange):
    """Counts how often a range is measured."""

    measured: ClassVar[int] = 0

    def __len__(self) -> int:
        CountingRange.measured += 1
        return super().__len__()


def test_thousands_of_short_logs_are_measured_a_few_times_each() -> None:
    logs = 5_000
    ranges = [CountingRange(Log(f"log-{number}", "coordinator"), 0, 1) for number in range(logs)]
    assert len(partitions_of(ranges, logs)) == 1
    assert CountingRange.measured < 10 * logs
