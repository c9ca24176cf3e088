"""The plan of a rewind: a versioned file that `rewind apply` reads."""

from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, NonNegativeInt, field_validator

from eventlog.partition import NO_KEY_BUCKET, SystemStreamPartition
from eventlog.starting_offset import DecidedBy
from eventlog.startpoint import StartpointType

Finding = Literal["before_oldest", "beyond_end", "skips_everything"]
"""What is special about a target, which then is not the offset that was asked for.

``before_oldest``: it is before the oldest record of the input, which is used instead (a time: records since then may
have been deleted). ``beyond_end``: it is after the end, which is used instead. ``skips_everything``: it is the end, and
the task skips all records that it has not read.
"""


class TaskPartition(BaseModel):
    """An input partition of a task."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    task_name: str
    system_name: str
    stream_name: str
    partition_id: NonNegativeInt
    key_bucket: int = NO_KEY_BUCKET

    @property
    def partition(self) -> SystemStreamPartition:
        """The partition as Samza names it."""
        return SystemStreamPartition(self.system_name, self.stream_name, self.partition_id, self.key_bucket)

    def __str__(self) -> str:
        return f"{self.partition} of task {self.task_name!r}"


class Move(TaskPartition):
    """Where the next start of a task would begin a partition, where it is to begin instead, and what that costs.

    ``decided_by``, ``startpoint_type`` and ``startpoint_value`` say what decides the next start without the plan, as in
    the relation ``starting_offset``. Offsets are those of the next record to read, except ``checkpoint_offset``, the
    last processed one (None: no checkpoint). ``requested_offset`` is the target before it was limited to the input.
    ``records_again`` and ``records_skipped`` are records if ``is_counted``; otherwise they are offsets, of which
    compaction and transactions may have left fewer records. ``bytes`` are those of keys and values (None: not counted).
    ``seconds_to_catch_up`` is for all partitions of the task together (None: its rate is unknown). ``stores`` keep
    their contents, which then do not match the task's position.
    """

    decided_by: DecidedBy
    startpoint_type: StartpointType | None
    startpoint_value: str | None
    checkpoint_offset: str | None
    from_offset: NonNegativeInt
    to_offset: NonNegativeInt
    requested_offset: int
    finding: Finding | None
    records_again: NonNegativeInt
    records_skipped: NonNegativeInt
    is_counted: bool
    bytes: NonNegativeInt | None
    seconds_to_catch_up: NonNegativeInt | None
    stores: tuple[str, ...]


class RewindPlan(BaseModel):
    """A rewind of a job, and what it was made from: the coordinator stream before ``log_offset``, and checkpoints.

    ``coordinator_stream_id`` is `EventLog.stream_id`; plans of older versions have none.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["coordstream-rewind-plan"] = "coordstream-rewind-plan"
    version: Literal[1] = 1
    job_name: str
    job_id: str
    target: str
    made_at: AwareDatetime
    coordinator_stream: str
    coordinator_stream_id: str | None = None
    log_offset: NonNegativeInt
    moves: tuple[Move, ...]

    @field_validator("moves")
    @classmethod
    def _require_one_target_each(cls, moves: tuple[Move, ...]) -> tuple[Move, ...]:
        if not moves or len({(move.task_name, move.partition) for move in moves}) < len(moves):
            raise ValueError("expected one target for each partition of a task")
        return moves

    @property
    def job_word(self) -> str:
        """The job as commands name it."""
        return f"{self.job_name}/{self.job_id}"

    @property
    def task_names(self) -> list[str]:
        """The tasks that move, sorted."""
        return sorted({move.task_name for move in self.moves})
