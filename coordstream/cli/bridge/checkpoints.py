"""The checkpoints of a job, as offsets that a consumer group could have committed."""

from typing import Final, NamedTuple

from psycopg.rows import class_row

from eventlog.postgres.connection import Connection
from projections.job_choice import Job

# several tasks read a partition if it is broadcast, or split by keys
_CHECKPOINTS: Final = """
select distinct on (s.system_name, s.stream_name, s.partition_id)
  s.system_name, s.stream_name, s.partition_id, s.task_name, c.input_offset, c.input_offset_number,
  c.incarnation, c.log_offset
from coordinator.starting_offset s
left join coordinator.checkpoint c
  using (job_name, job_id, task_name, system_name, stream_name, partition_id, key_bucket)
where s.job_name = %s and s.job_id = %s
order by s.system_name, s.stream_name, s.partition_id, c.input_offset_number, c.input_offset, s.task_name
"""
_POSITIONS: Final = """
select j.log_id, p.next_offset
from projection.job_log j join projection.position p using (log_id)
where j.job_name = %s and j.job_id = %s and j.is_current order by 1
"""

Positions = tuple[tuple[int, int], ...]


class PartitionCheckpoint(NamedTuple):
    """The last processed offset of an input partition.

    Of several tasks that read the partition, it is that of the task that is furthest behind. ``input_offset`` is None
    if none of them has a checkpoint. ``input_offset_number`` is None also if the offset is not a number.
    """

    system_name: str
    stream_name: str
    partition_id: int
    task_name: str
    input_offset: str | None
    input_offset_number: int | None
    incarnation: int | None
    log_offset: int | None

    @property
    def next_offset(self) -> int | None:
        """The offset after the last processed one, as consumers commit it; None if it is unknown."""
        number = self.input_offset_number
        return None if number is None or number < -1 else number + 1

    @property
    def event(self) -> tuple[int | None, int | None]:
        """The event that has the checkpoint. It changes with each commit of the task, even if the offset does not."""
        return self.incarnation, self.log_offset


def read_checkpoints(connection: Connection, job: Job) -> list[PartitionCheckpoint]:
    """The checkpoints of the partitions that a job's tasks read."""
    with connection.cursor(row_factory=class_row(PartitionCheckpoint)) as cursor:
        return cursor.execute(_CHECKPOINTS, tuple(job)).fetchall()


def read_positions(connection: Connection, job: Job) -> Positions:
    """How far the job's logs have been read. As long as it is equal, so are the checkpoints."""
    return tuple(map(tuple, connection.execute(_POSITIONS, tuple(job)).fetchall()))
