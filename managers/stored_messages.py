"""The messages that managers read and write: their envelopes, and checks of task names."""

import getpass
import socket
from collections.abc import Iterable
from functools import cache
from typing import Any, ClassVar, Final, Protocol, TypeVar

from eventlog.log import Clock, system_clock
from eventlog.messages import Envelope, Message
from eventlog.timestamps import ms_of
from managers.stores.coordinator_store import CoordinatorStreamStore

UNKNOWN: Final = "Unknown"
JOB_RUNNER: Final = "job-runner"
STREAM_WRITER: Final = "coordinator-stream-writer"
JOB_COORDINATOR: Final = "Job-coordinator"
CHECKPOINT_TOOL: Final = "checkpoint-tool"
CONTAINER: Final = "SamzaContainer"
_FORCED: Final = " (forced)"


def make_envelope(source: str | None = None, *, clock: Clock = system_clock) -> Envelope:
    """An envelope for a message written now, on this host, by this user. Without a source: ``Unknown``."""
    return Envelope(source or UNKNOWN, _host_address(), _user_name(), ms_of(clock()))


def mark_forced(source: str) -> str:
    """The source of a change that was forced, so that the history of config shows it."""
    return source + _FORCED


@cache
def _host_address() -> str:
    """This host's address; empty if it has none, as in Samza."""
    try:
        return socket.gethostbyname(socket.gethostname())
    except (OSError, UnicodeError):  # UnicodeError: the host name is too long to look up
        return ""


@cache
def _user_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""


def require_task_name(task_name: Any) -> None:
    """Raise TypeError if a task name is not a string."""
    if not isinstance(task_name, str):
        raise TypeError(f"task_name must be a string, not {task_name!r}")


def require_task_names(task_names: Iterable[str]) -> list[str]:
    """The names as a list. Raises TypeError for a single string, and if a name is not a string."""
    if isinstance(task_names, str):  # each letter would be a task
        raise TypeError(f"task_names must be a list of strings, not the string {task_names!r}")
    names = list(task_names)
    for task_name in names:
        require_task_name(task_name)
    return names


class TypedMessage(Protocol):
    """A message class of one message type."""

    message_type: ClassVar[str]


Typed = TypeVar("Typed", bound=TypedMessage)


class StoredMessages:
    """A manager's messages in its store, written as ``source``."""

    def __init__(self, store: CoordinatorStreamStore, source: str, clock: Clock) -> None:
        self._store: Final = store
        self._source: Final = source
        self._clock: Final = clock

    def __repr__(self) -> str:
        return f"<{type(self).__name__} by {self._source} of {self._store!r}>"

    def read(self, kind: type[Typed]) -> list[Typed]:
        """The messages of all live keys of a class, in no particular order. Raises `NotReady`."""
        messages = self._store.messages(kind.message_type).values()
        return [message for message in messages if isinstance(message, kind)]

    def write(self, messages: Iterable[Message]) -> None:
        """Write messages as `CoordinatorStreamStore.write` does. Those without an envelope get one.

        Raises:
            NotReady: the store is not open.
            AppendRefused: the log rejects the events.
        """
        envelope = make_envelope(self._source, clock=self._clock)
        self._store.write([message if message.envelope else with_envelope(message, envelope) for message in messages])


def with_envelope(message: Message, envelope: Envelope) -> Message:
    """A copy of the message with this envelope."""
    return message.model_copy(update={"envelope": envelope})
