"""Errors of several managers, which keep the things they name as attributes, and what is started and stopped."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import NamedTuple, Self

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

    @abstractmethod
    def start(self) -> None: ...

    @abstractmethod
    def stop(self) -> None: ...

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
