"""The streaming source of a follower: its rows are ranges of logs, which the executors read and apply.

Rows are ranges and not events, so that an error of one log is an answer about that log, and does not fail the batch.
Which logs are read from where is in a file, the assignment: the driver writes it, and the planner of batches, a process
beside the driver that Spark starts, reads it.
"""

import json
import pickle
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit
from pyspark.sql.types import StructType

from eventlog.atomic_file import atomic_file
from eventlog.kafka.admin import KafkaAdmin
from eventlog.source import SourceUnavailable
from projections.follow.delegated import Delegated
from spark_jobs.data_source.options import Access
from spark_jobs.dispatch import pack

if TYPE_CHECKING:
    import pyarrow as pa

BATCH_OFFSETS: Final = 500_000
"""The offsets of a micro-batch, shared by the logs that have news."""

SCHEMA: Final = "range binary"
"""A pickled `Delegated`."""

QUIET_SECONDS: Final = 0.1
"""How long to wait before topics without news are asked for their ends again."""

ASSIGNMENT_FILE: Final = "assignment.json"


Assignment = Mapping[str, Delegated]
"""The streams to follow by name: each is read from its ``next_offset`` on, unless a range with its generation was
planned before."""


def write_assignment(folder: Path, assigned: Assignment) -> None:
    """Replace the assignment at once, so that no reader sees a part of it."""
    folder.mkdir(parents=True, exist_ok=True)  # it is temporary, and may be removed while the follower runs
    with atomic_file(folder / ASSIGNMENT_FILE) as file:
        file.write(json.dumps(assigned).encode())


def read_assignment(folder: Path) -> Assignment:
    """The assignment; empty if the folder was removed."""
    try:
        stored = json.loads((folder / ASSIGNMENT_FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    return {name: Delegated(*values) for name, values in stored.items()}


class PlannedPartition(InputPartition):
    def __init__(self, ranges: Sequence[Delegated]) -> None:
        super().__init__(None)
        self.ranges = tuple(ranges)


class FollowedRanges(DataSource):
    """Ranges of the logs in the folder's assignment. A subclass has the settings, which Spark pickles with it."""

    access: ClassVar[Access]
    folder: ClassVar[Path]
    tasks: ClassVar[int]

    @classmethod
    def name(cls) -> str:
        return "coordinator_stream_ranges"

    def schema(self) -> str:
        return SCHEMA

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: ARG002, N802 (Spark calls it)
        return RangePlanner(self.access, self.folder, self.tasks)


class RangePlanner(DataSourceStreamReader):
    """Plans, in a process beside the driver, the ranges of each micro-batch from the assignment and the topics' ends.

    The offset of the query has the newest planned range of each log.
    """

    def __init__(self, access: Access, folder: Path, tasks: int) -> None:
        self._access = access
        self._folder = folder
        self._tasks = tasks
        self._admin: KafkaAdmin | None = None

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        return {}

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        """The limit is `BATCH_OFFSETS`, for any trigger."""
        return ReadAllAvailable()

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: ARG002, N802
        """The offset with the next ranges; `start` if there is nothing to read."""
        assigned = read_assignment(self._folder)
        last = {name: Delegated(*values) for name, values in start.items() if name in assigned}
        try:
            found = plan_ranges(assigned, last, *self._topics(list(assigned)))
        except SourceUnavailable:  # the follower reports it, at its next heartbeat
            found = []
        if not found:
            time.sleep(QUIET_SECONDS)
            return start
        return {one.stream_name: list(one) for one in (*last.values(), *found)}

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """The ranges that are new in `end`, in partitions of about the same size."""
        new = [Delegated(*values) for name, values in end.items() if start.get(name) != values]
        return balanced(new, self._tasks)

    def read(self, partition: InputPartition) -> "Iterator[pa.RecordBatch]":
        import pyarrow as pa  # noqa: PLC0415

        if isinstance(partition, PlannedPartition) and partition.ranges:
            yield pa.record_batch({"range": [pickle.dumps(one) for one in partition.ranges]})

    def stop(self) -> None:
        if self._admin is not None:
            self._admin.close()

    def _topics(self, names: Sequence[str]) -> tuple[Mapping[str, str | None], Mapping[str, int]]:
        self._admin = self._admin or KafkaAdmin(self._access.require_kafka())
        return self._admin.topic_ids(names), self._admin.end_offsets(names)


def plan_ranges(
    assigned: Assignment,
    last: Mapping[str, Delegated],
    topic_ids: Mapping[str, str | None],
    ends: Mapping[str, int],
) -> list[Delegated]:
    """The next range of each log with news, after the `last` planned one.

    A log whose topic is another one, or has no such offsets any more, gets an empty range, once.
    """
    ranges = []
    for name, log in assigned.items():
        known = last.get(name)
        if known is None or known.generation != log.generation:
            known = log
        first, end = known.next_offset, ends.get(name, -1)
        is_lost = end < first or topic_ids.get(name) != log.topic_id
        if is_lost and known is not log and known.first_offset == first:
            continue
        if is_lost or end > first:
            ranges.append(log._replace(first_offset=first, next_offset=first if is_lost else end))
    most = max(1, BATCH_OFFSETS // max(1, len(ranges)))
    return [one._replace(next_offset=min(one.next_offset, one.first_offset + most)) for one in ranges]


def balanced(ranges: Sequence[Delegated], tasks: int) -> list[PlannedPartition]:
    """The ranges in at most as many partitions as there are tasks, of about the same size."""
    bins = pack([one.next_offset - one.first_offset for one in ranges], tasks)
    return [PlannedPartition([ranges[number] for number in numbers]) for numbers in bins]
