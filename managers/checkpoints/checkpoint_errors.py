"""What can go wrong with checkpoints; each error keeps what it is about as attributes.

CheckpointError (a ManagerError)
 ├─ TaskNotRegistered      a task is read or written that was not registered
 ├─ CheckpointUnreadable   bytes on the log that can't be understood, with validation on
 ├─ GrouperMismatch        a checkpoint of another grouper, with validation on
 ├─ CheckpointNotWritten   a write that failed until its time was up
 ├─ VersionNotNamed        a write in a version that config does not name
 ├─ OffsetMissing          a V2 checkpoint with a partition that has no offset, which Samza can't read
 ├─ UnknownCheckpointPlace config does not say where the job's checkpoints are, or names a place we don't know
 ├─ CheckpointFileError    a line of a property file that can't be used
 ├─ UnknownTask            the tool was given a task that the job does not have
 └─ JobAlive               the tool was used on a job that seems to run
"""

from collections.abc import Iterable
from datetime import datetime

from eventlog.checkpoint import Checkpoint
from eventlog.error_text import did_you_mean
from eventlog.errors import EventLogError, WireError
from eventlog.partition import SystemStreamPartition
from managers.errors import ManagerError


class CheckpointError(ManagerError):
    """A checkpoint could not be read or written."""


class TaskNotRegistered(CheckpointError):
    """A task's checkpoint or its offsets were asked for, and the task was not registered."""

    def __init__(self, task_name: str, where: str = "with this checkpoint manager") -> None:
        self.task_name = task_name
        super().__init__(f"task {task_name!r} is not registered {where}: register it first")


class CheckpointUnreadable(CheckpointError):
    """An event of a checkpoint topic cannot be understood, and validation is on."""

    def __init__(self, stream_name: str, log_offset: int, error: WireError) -> None:
        self.stream_name = stream_name
        self.log_offset = log_offset
        self.reason = error.reason
        super().__init__(
            f"offset {log_offset} of {stream_name} holds no checkpoint that can be read ({error}): "
            "write its key again, or switch job.checkpoint.validation.enabled off to pass it over"
        )


class GrouperMismatch(CheckpointError):
    """A checkpoint was made under another grouper of partitions than the job has now, and validation is on."""

    def __init__(self, stream_name: str, log_offset: int, configured: str, actual: str) -> None:
        self.stream_name = stream_name
        self.log_offset = log_offset
        self.configured = configured
        self.actual = actual
        super().__init__(
            f"offset {log_offset} of {stream_name} is a checkpoint of grouper {actual}, and the job is configured with "
            f"{configured}: set job.systemstreampartition.grouper.factory back, or start from a new checkpoint topic"
        )


class CheckpointNotWritten(CheckpointError):
    """A checkpoint could not be appended, however often it was tried."""

    def __init__(
        self, stream_name: str, task_name: str, checkpoint: Checkpoint, tries: int, cause: BaseException | None
    ) -> None:
        self.stream_name = stream_name
        self.task_name = task_name
        self.checkpoint = checkpoint
        self.tries = tries
        super().__init__(
            f"the checkpoint of task {task_name!r} is not known to be on {stream_name} after {tries} tries "
            f"({_said(cause)}): see why the log takes no events, and write it again; it is {checkpoint!r}"
        )


class VersionNotNamed(CheckpointError):
    """A checkpoint was to be written in a version that ``task.checkpoint.write.versions`` does not name.

    ``versions`` is what that key says.
    """

    def __init__(self, task_name: str, version: int, versions: str) -> None:
        self.task_name = task_name
        self.version = version
        self.versions = versions
        super().__init__(
            f"the checkpoint of task {task_name!r} has version {version}, and task.checkpoint.write.versions is "
            f"{versions}: write that version, as OffsetManager does by itself, or set the key to what is written"
        )


class OffsetMissing(CheckpointError, ValueError):
    """A V2 checkpoint was to be written in which a partition has no offset; nothing was written."""

    def __init__(self, task_name: str, partition: SystemStreamPartition) -> None:
        self.task_name = task_name
        self.partition = partition
        super().__init__(
            f"the V2 checkpoint of task {task_name!r} has no offset for {partition}, and Samza can't read a V2 "
            "checkpoint with a null in it: leave the partition out, or write version 1"
        )


class UnknownCheckpointPlace(CheckpointError):
    """It is not known where a job keeps its checkpoints."""


class CheckpointFileError(CheckpointError):
    """A line of a property file with offsets cannot be used; nothing was written."""

    def __init__(self, place: str, line_number: int, reason: str) -> None:
        self.place = place
        self.line_number = line_number
        super().__init__(f"{place}, line {line_number}: {reason}; nothing was written: correct the line")


class UnknownTask(CheckpointError):
    """A checkpoint was given for a task that the job does not have."""

    def __init__(self, task_name: str, known: Iterable[str]) -> None:
        self.task_name = task_name
        self.known = tuple(sorted(known))
        listed = ", ".join(self.known[:10]) + (" and more" if len(self.known) > 10 else "")
        meant = did_you_mean(task_name, self.known)
        super().__init__(f"the job has no task {task_name!r}: it has {listed}.{meant}")


class JobAlive(CheckpointError):
    """The job has committed so lately that it seems to run: it would not read what is written now."""

    def __init__(self, last_commit: datetime, seconds: float, limit_seconds: float) -> None:
        self.last_commit = last_commit
        self.seconds = seconds
        self.limit_seconds = limit_seconds
        super().__init__(
            f"the job looks alive: a checkpoint was written {max(seconds, 0):.0f} s ago, "
            f"and only after {limit_seconds:g} s without one it counts as stopped; a job reads its checkpoint "
            "when it starts, so stop it first, or write nevertheless with --force"
        )


def _said(cause: BaseException | None) -> str:
    """What one of our errors says; of others the kind only, since their text may repeat what was sent."""
    return str(cause) if isinstance(cause, EventLogError) else type(cause).__name__
