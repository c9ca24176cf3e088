"""Errors of several managers, which keep the things they name as attributes, and what is started and stopped."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import NamedTuple, Self

from eventlog.checkpoint import Checkpoint
from eventlog.errors import EventLogError, did_you_mean, list_names


class ManagerError(EventLogError):
    """A job's data could not be read or written."""


class NotReady(ManagerError):
    """The object is not in the right state for the call."""

    def __init__(self, what: str, state: str, remedy: str) -> None:
        self.what = what
        self.state = state
        super().__init__(f"{_capitalize(what)} {state}. {_capitalize(remedy)}.")


class Startable(ABC):
    """Works between `start` and `stop`. A context manager, which also stops after a start that failed."""

    _is_running = False

    @abstractmethod
    def start(self) -> None: ...

    @abstractmethod
    def stop(self) -> None: ...

    def _require_running(self) -> None:
        if not self._is_running:
            remedy = "start it first, and stop it after the last call"
            raise NotReady(type(self).__name__, "is not running", remedy)

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            with suppress(Exception):  # the first error matters
                self.stop()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()


class MissingSetting(ManagerError):
    """A job's config lacks a required key."""

    def __init__(self, config_key: str, reason: str) -> None:
        self.config_key = config_key
        super().__init__(f"The config has no {config_key}, {reason}.")


class SettingChange(NamedTuple):
    """A config key whose value differs; None: it is not set and has no default."""

    config_key: str
    previous_value: str | None
    config_value: str | None


class WriteOnceChange(ManagerError):
    """A change of a write-once setting of a job that has been started."""

    def __init__(self, changes: Sequence[SettingChange]) -> None:
        self.changes = tuple(changes)
        listed = ", ".join(f"{key} from {_describe(old)} to {_describe(new)}" for key, old, new in self.changes)
        super().__init__(
            f"This changes {listed}, which would assign the job's state and checkpoints to other tasks. "
            "Keep the value, give the job a new job.id, or force the change (force=True, --force)."
        )


def describe_cause(cause: BaseException | None) -> str:
    """The message of one of our errors; only the class of others, whose message might contain data that was sent."""
    return str(cause) if isinstance(cause, EventLogError) else type(cause).__name__


def no_such_task(task_name: str, known: Iterable[str]) -> str:
    """The sentences about a task that a job does not have."""
    names = sorted(known)
    return f"The job has no task {task_name!r}. Its tasks: {list_names(names)}.{did_you_mean(task_name, names)}"


def _capitalize(text: str) -> str:
    return text[:1].upper() + text[1:]


def _describe(value: str | None) -> str:
    return "unset" if value is None else repr(value)


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
    """A line of a properties file with offsets is invalid. Nothing was written."""

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
        super().__init__(
            f"Another writer wrote a checkpoint of task {task_name!r} at offset {log_offset}. {then} Stop the job, and "
            "look at its checkpoints before you write again."
        )


class JobAlive(CheckpointError):
    """The job appears to be running: it has committed recently. It would not read a checkpoint written now."""

    def __init__(self, last_commit: datetime, seconds: float, limit_seconds: float) -> None:
        self.last_commit = last_commit
        self.seconds = seconds
        age = f"{max(seconds, 0):.0f} s ago, less than {limit_seconds:g} s"
        if seconds < -limit_seconds:  # not reported as "0 s ago"
            age = f"{-seconds:.0f} s ahead of this computer's clock"
        super().__init__(
            f"The job appears to be running: its last checkpoint was written {age}. A job reads its checkpoints only "
            "when it starts. Stop it first, or use --force, as after a write of your own."
        )
