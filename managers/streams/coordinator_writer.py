"""CoordinatorStreamWriter: sets and deletes single config keys of a job."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from threading import RLock
from types import TracebackType
from typing import Final, Self

from eventlog.log import Clock, system_clock
from eventlog.messages import SetConfig
from managers.config.job_config import delete_config, read_config, set_config
from managers.envelopes import STREAM_WRITER
from managers.errors import NotReady
from managers.lazy_log import LazyLog, LogOrOpener
from managers.stores.coordinator_store import CoordinatorStreamStore


class CoordinatorStreamWriter:
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
        self._store: CoordinatorStreamStore | None = None

    def start(self) -> None:
        """Open and read the stream. Does nothing when called again."""
        with self._lock:
            if self._store is None:
                store = CoordinatorStreamStore(self._lazy_log.open())
                store.init()
                self._store = store

    def stop(self) -> None:
        """Close the log if it was opened here. Safe to call before `start` and again."""
        with self._lock:
            self._store = None
            self._lazy_log.close()

    @property
    def config(self) -> Mapping[str, str]:
        """The job's current config."""
        with self._running() as store:
            return read_config(store)

    def send_message(self, message_type: str, key: str, value: str) -> None:
        """Write a ``set-config`` message.

        Raises:
            ValueError: ``message_type`` is not ``set-config``. Nothing was written.
        """
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

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            with suppress(Exception):
                self.stop()
            raise
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    @contextmanager
    def _running(self) -> Iterator[CoordinatorStreamStore]:
        with self._lock:
            if self._store is None:
                raise NotReady("the coordinator stream writer", "is not running", "call start() first")
            yield self._store
