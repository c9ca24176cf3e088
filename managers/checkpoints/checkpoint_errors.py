"""Errors of checkpoints. Each keeps the things it names as attributes."""

from datetime import datetime

from eventlog.checkpoint import Checkpoint
from managers.errors import ManagerError, describe_cause


class CheckpointError(ManagerError):
    """A checkpoint could not be read or written, or would be invalid."""


class TaskNotRegistered(CheckpointError):
    """The task was not registered before its checkpoint or offsets were used."""

    def __init__(self, task_name: str, where: str = "with this checkpoint manager") -> None:
        self.task_name = task_name
        super().__init__(f"Task {task_name!r} is not registered {where}. Register it first.")


class CheckpointUnreadable(CheckpointError):
    """An event of a checkpoint topic cannot be decoded or has a different grouper, and validation is enabled."""

    def __init__(self, stream_name: str, log_offset: int, problem: str) -> None:
        self.stream_name = stream_name
        self.log_offset = log_offset
        super().__init__(f"Cannot use the checkpoint at offset {log_offset} of {stream_name}: {problem}.")


class CheckpointNotWritten(CheckpointError):
    """A checkpoint could not be appended in the time allowed. It may be on the log nevertheless."""

    def __init__(
        self, stream_name: str, task_name: str, checkpoint: Checkpoint, tries: int, cause: BaseException | None
    ) -> None:
        self.stream_name = stream_name
        self.task_name = task_name
        self.checkpoint = checkpoint
        self.tries = tries
        super().__init__(
            f"Cannot confirm that the checkpoint of task {task_name!r} is on {stream_name} after {tries} tries "
            f"({describe_cause(cause)}). Check why the log accepts no events, and write it again: {checkpoint!r}."
        )


class CheckpointFileError(CheckpointError):
    """A line of a property file with offsets is invalid. Nothing was written."""

    def __init__(self, place: str, line_number: int, reason: str) -> None:
        self.place = place
        self.line_number = line_number
        super().__init__(f"{place}, line {line_number}: {reason}. Nothing was written. Correct the line.")


class CheckpointsChanged(CheckpointError):
    """Another writer has written a checkpoint since they were read. ``is_written``: ours were written as well."""

    def __init__(self, task_name: str, log_offset: int, *, is_written: bool) -> None:
        self.task_name = task_name
        self.log_offset = log_offset
        self.is_written = is_written
        then = "The new checkpoints were written, too." if is_written else "Nothing was written."
        super().__init__(f"Another writer wrote a checkpoint of task {task_name!r} at offset {log_offset}. {then}")


class JobAlive(CheckpointError):
    """The job appears to be running: it has committed recently. It would not read a checkpoint written now."""

    def __init__(self, last_commit: datetime, seconds: float, limit_seconds: float) -> None:
        self.last_commit = last_commit
        self.seconds = seconds
        self.limit_seconds = limit_seconds
        within = "" if self._is_ahead() else f", less than {limit_seconds:g} s"
        super().__init__(
            f"The job appears to be running: its last checkpoint was written {self.age()}{within}. A job reads its "
            "checkpoints only when it starts. Stop it first, or use --force."
        )

    def age(self) -> str:
        """When the last checkpoint was written, in words; a time ahead of this clock is not reported as "0 s ago"."""
        if self._is_ahead():
            return f"{-self.seconds:.0f} s ahead of this computer's clock"
        return f"{max(self.seconds, 0):.0f} s ago"

    def _is_ahead(self) -> bool:
        return self.seconds < -self.limit_seconds
