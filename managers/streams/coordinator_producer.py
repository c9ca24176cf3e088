"""CoordinatorStreamProducer and CoordinatorStreamWriter: append messages to a job's coordinator stream."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import Final

from eventlog.events import NewEvent
from eventlog.log import Clock, system_clock
from eventlog.messages import Message, SetConfig
from eventlog.wire.coordinator import encode_key, encode_message
from managers.appending import append_in_parts, written_event
from managers.config.job_config import config_value, delete_config, read_config, set_config
from managers.errors import Startable
from managers.job_names import Config
from managers.stored_messages import STREAM_WRITER, make_envelope, with_envelope
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.streams.coordinator_stream_message import CoordinatorStreamMessage
from managers.wrapped_logs import LazyLog, LogOrOpener


class CoordinatorStreamProducer(Startable):
    """Appends messages once it is started; calls return once they are acknowledged. Thread-safe.

    Samza's CoordinatorStreamSystemProducer.
    """

    def __init__(self, log: LogOrOpener, *, clock: Clock = system_clock) -> None:
        """``log``: the coordinator stream, or a function that opens it at the start, and again after a failed call."""
        self._lazy_log: Final = LazyLog(log)
        self._clock: Final = clock
        self._lock: Final = RLock()
        self._source: str | None = None

    def register(self, source: str) -> None:
        """Set the source of messages that have no envelope."""
        with self._lock:
            self._source = source

    def start(self) -> None:
        """Open the log. Does nothing when called again."""
        with self._lock:
            self._lazy_log.open()
            self._is_running = True

    def stop(self) -> None:
        """Close the log if it was opened here. Safe to call before `start` and again."""
        with self._lock:
            self._is_running = False
            self._lazy_log.close()

    def send(self, message: Message | CoordinatorStreamMessage) -> int:
        """Append a message, and return its offset. Raises `NotReady`, and ValueError without a type or a key."""
        return self._append([self._event(message)])[-1][0]

    def write_config(self, source: str, config: Config) -> None:
        """Set all keys of a config in one call, without the checks of `managers.config.job_config.write_config`."""
        envelope = make_envelope(source, clock=self._clock)
        self._append(
            [
                NewEvent(encode_key(SetConfig.message_type, key), config_value(key, value, envelope))
                for key, value in config.items()
            ]
        )

    def flush(self, source: str | None = None) -> None:
        """Do nothing: every send is acknowledged."""

    def _append(self, events: Sequence[NewEvent]) -> list[range]:
        with self._lock:
            self._require_running()
            with self._lazy_log.use() as log:
                return append_in_parts(log, events)

    def _event(self, message: Message | CoordinatorStreamMessage) -> NewEvent:
        if isinstance(message, CoordinatorStreamMessage):
            return message.event()
        if message.envelope is None:
            message = with_envelope(message, make_envelope(self._source, clock=self._clock))
        return written_event(message.message_type, *encode_message(message))


class CoordinatorStreamWriter(Startable):
    """Sets and deletes config keys; calls return once they are acknowledged (Samza's class, SAMZA-2797).

    A change of a write-once setting is refused unless the writer has ``force``. A context manager. Thread-safe.
    """

    def __init__(
        self, log: LogOrOpener, *, source: str = STREAM_WRITER, force: bool = False, clock: Clock = system_clock
    ) -> None:
        """``log``: the coordinator stream, or a function that `start` calls to open it and `stop` closes."""
        self._lazy_log: Final = LazyLog(log)
        self._source: Final = source
        self._force: Final = force
        self._clock: Final = clock
        self._lock: Final = RLock()
        self._store: CoordinatorStreamStore

    def start(self) -> None:
        """Open and read the stream. Does nothing when called again."""
        with self._lock:
            if not self._is_running:
                self._store = CoordinatorStreamStore(self._lazy_log.open())
                self._store.init()
                self._is_running = True

    def stop(self) -> None:
        """Close the log if it was opened here. Safe to call before `start` and again."""
        with self._lock:
            self._is_running = False
            self._lazy_log.close()

    @property
    def config(self) -> Mapping[str, str]:
        with self._running() as store:
            return read_config(store)

    def send_message(self, message_type: str, key: str, value: str) -> None:
        """Write a ``set-config`` message. Raises ValueError for another ``message_type``."""
        if message_type != SetConfig.message_type:
            raise ValueError(f"message_type must be {SetConfig.message_type!r}, not {message_type!r}")
        self.send_set_config(key, value)

    def send_set_config(self, key: str, value: str) -> None:
        """Set a config key. Raises `WriteOnceChange`."""
        with self._running() as store:
            set_config(store, key, value, source=self._source, force=self._force, clock=self._clock)

    def send_delete_config(self, key: str) -> bool:
        """Delete a config key, in every live spelling; return whether it was set. Raises `WriteOnceChange`."""
        with self._running() as store:
            if key not in read_config(store):
                return False
            delete_config(store, key, source=self._source, force=self._force, clock=self._clock)
            return True

    @contextmanager
    def _running(self) -> Iterator[CoordinatorStreamStore]:
        with self._lock:
            self._require_running()
            yield self._store
