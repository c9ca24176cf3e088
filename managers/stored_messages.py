"""The messages that managers read and write: their envelopes, and checks of task names."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import ClassVar, Final, TypeVar

from eventlog.log import Clock, system_clock
from eventlog.messages import Envelope, Message
from eventlog.timestamps import ms_of
from managers.stores.coordinator_store import CoordinatorStreamStore, MetadataStore
from managers.stores.keyed_state import NamespacedKey
from managers.wrapped_logs import host_address, user_name

UNKNOWN: Final = "Unknown"
JOB_RUNNER: Final = "job-runner"
STREAM_WRITER: Final = "coordinator-stream-writer"
JOB_COORDINATOR: Final = "Job-coordinator"
CHECKPOINT_TOOL: Final = "checkpoint-tool"
CONTAINER: Final = "SamzaContainer"


def make_envelope(source: str | None = None, *, clock: Clock = system_clock) -> Envelope:
    """An envelope for a message written now, on this host, by this user. Without a source: ``Unknown``."""
    return Envelope(source or UNKNOWN, host_address(), user_name(), ms_of(clock()))


def mark_forced(source: str) -> str:
    """The source of a change that was forced, so that the history of config shows it."""
    return f"{source} (forced)"


def require_task_names(task_names: Iterable[str]) -> list[str]:
    """The names as a list. Raises TypeError for a single string."""
    if isinstance(task_names, str):  # each letter would be a task
        raise TypeError(f"task_names must be a list of strings, not the string {task_names!r}")
    return list(task_names)


Typed = TypeVar("Typed", bound=Message)


class MessageManager:
    """A manager of some message types in the store of a coordinator stream. Thread-safe.

    Each write returns once it is acknowledged, and writes all of its messages or none (`CoordinatorStreamStore.write`).
    Methods raise `NotReady` if the store is not open; the caller opens and closes it.
    """

    default_source: ClassVar[str] = JOB_COORDINATOR

    def __init__(
        self, store: CoordinatorStreamStore, *, source: str | None = None, clock: Clock = system_clock
    ) -> None:
        """``source`` is the writer that messages name."""
        self._store: Final = store
        self._source: Final = source or self.default_source
        self._clock: Final = clock

    def close(self) -> None:
        """Do nothing: the caller closes the store."""

    def _read(self, kind: type[Typed]) -> list[Typed]:
        """The messages of all live keys of a class, in no particular order."""
        messages = self._store.messages(kind.message_type).values()
        return [message for message in messages if isinstance(message, kind)]

    def _write(self, messages: Iterable[Message]) -> None:
        """Write messages; those without an envelope get one."""
        envelope = make_envelope(self._source, clock=self._clock)
        self._store.write([message if message.envelope else with_envelope(message, envelope) for message in messages])


def with_envelope(message: Message, envelope: Envelope) -> Message:
    return message.model_copy(update={"envelope": envelope})


class NamespaceAwareCoordinatorStreamStore(MetadataStore[str]):
    """The keys of one namespace (message type) of a store, as a `MetadataStore` of plain keys (Samza's class).

    `init` and `close` do nothing: the store is shared, and the caller opens and closes it (SAMZA-2167, SAMZA-2260).
    """

    def __init__(self, store: CoordinatorStreamStore, namespace: str) -> None:
        if not namespace:
            raise ValueError("namespace must be a message type such as 'set-config', not ''")
        self._store: Final = store
        self.namespace: Final = namespace

    def get(self, key: str) -> bytes | None:
        return self._store.get(self._in_namespace(key))

    def put_all(self, entries: Mapping[str, bytes]) -> None:
        self._store.put_all({self._in_namespace(key): value for key, value in entries.items()})

    def delete_all(self, keys: Iterable[str]) -> None:
        self._store.delete_all([self._in_namespace(key) for key in keys])

    def all(self) -> Mapping[str, bytes]:
        """See `MetadataStore.all`; by the plain keys."""
        return MappingProxyType({name.key: value for name, value in self._store.all(self.namespace).items()})

    def _in_namespace(self, key: str) -> NamespacedKey:
        return NamespacedKey(self.namespace, key)
