"""Reads a job's coordinator stream (CoordinatorStreamSystemConsumer of Samza, seed 000)."""

from collections.abc import Mapping
from contextlib import suppress
from threading import RLock
from types import TracebackType
from typing import Final, Self

from eventlog.errors import WireError
from eventlog.events import RecordedEvent
from eventlog.log import EventLog
from eventlog.messages import Message, SetConfig
from eventlog.wire.coordinator import decode_key
from managers.config.job_config import config_of
from managers.errors import NotReady
from managers.lazy_log import LazyLog, LogOrOpener
from managers.stores.coordinator_store import decode_value
from managers.stores.keyed_state import KeyedState
from managers.streams.coordinator_stream_message import CoordinatorStreamMessage

_WHAT: Final = "the coordinator stream consumer"


class CoordinatorStreamConsumer:
    """Bootstraps a job's config and messages; each further call catches up with the log.

    `register`, `start`, then `bootstrap`; as a context manager it does all three. What can't be read is passed over, as
    it is quarantined in the projection. It holds every distinct message that the log still has: a
    `CoordinatorStreamStore` holds current ones only. Safe for threads.
    """

    def __init__(self, log: LogOrOpener) -> None:
        """``log``: the job's coordinator stream, or what opens it at `register`; `stop` closes what was opened."""
        self._held: Final = LazyLog(log)
        self._lock: Final = RLock()
        self._log: EventLog | None = None
        self._position = 0
        self._is_started = self._is_stopped = self._is_bootstrapped = False
        self._messages: dict[CoordinatorStreamMessage, None] = {}
        self._config: KeyedState[Message] = KeyedState(decode_value)

    def __repr__(self) -> str:
        name = "no stream yet" if self._log is None else self._log.stream_name
        return f"<{type(self).__name__} of {name} read to offset {self._position}>"

    def register(self) -> None:
        """Find the oldest offset, to read from there on; only the first call does (SAMZA-789).

        Raises:
            NotReady: it is stopped.
            EventLogError: nobody answers (`SourceUnavailable`), there is no such stream (`StreamMissing`,
                `UnknownStream`), or it can't be one (`StreamRefused`).
        """
        with self._lock:
            self._require_not_stopped()
            if self._log is None:
                log = self._held.open()
                self._position = log.start_offset()
                self._log = log

    def start(self) -> None:
        """Make ready to read; only the first call does."""
        with self._lock:
            self._require_not_stopped()
            self._is_started = True

    def stop(self) -> None:
        """End reading, and close the log if it was opened here; does no harm before `start` or a second time."""
        with self._lock:
            self._is_stopped = True
            self._held.close()

    def bootstrap(self) -> None:
        """Read to where the log ends now.

        Raises:
            NotReady: it is not registered and started, or stopped.
        """
        with self._lock:
            log = self._running()
            end = log.end_offset()
            if self._position < end:
                for event in log.read(self._position, end):
                    self._take(event)
                    self._position = event.offset + 1
                self._position = end
            self._is_bootstrapped = True

    def has_new_messages(self) -> bool:
        """Whether the log goes on beyond what was read. Raises as `bootstrap`."""
        with self._lock:
            return self._position < self._running().end_offset()

    def get_bootstrapped_stream(self, message_type: str | None = None) -> tuple[CoordinatorStreamMessage, ...]:
        """The messages of a type, in any case of its letters, or of all types; deletes too.

        In the order of the log; of equal messages the last one counts (SAMZA-699, SAMZA-913). Raises as `bootstrap`.
        """
        wanted = None if message_type is None else message_type.casefold()
        with self._lock:
            self.bootstrap()
            return tuple(message for message in self._messages if wanted in (None, (message.type or "").casefold()))

    @property
    def config(self) -> Mapping[str, str]:
        """The job's config as it was when it was bootstrapped last.

        Raises:
            NotReady: it was not bootstrapped.
        """
        with self._lock:
            if not self._is_bootstrapped:
                raise NotReady(_WHAT, "has read nothing yet", "call bootstrap() before you ask for the config")
            return config_of(message for _, message in self._config.items(SetConfig.message_type))

    def get_config(self) -> Mapping[str, str]:
        """See `config`."""
        return self.config

    def __enter__(self) -> Self:
        try:
            self.register()
            self.start()
            self.bootstrap()
        except BaseException:
            with suppress(Exception):
                self.stop()
            raise
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def _require_not_stopped(self) -> None:
        if self._is_stopped:
            raise NotReady(_WHAT, "is stopped", "make another one")

    def _running(self) -> EventLog:
        self._require_not_stopped()
        if self._log is None or not self._is_started:
            raise NotReady(_WHAT, "is not running", "call register() and start() first")
        return self._log

    def _take(self, event: RecordedEvent) -> None:
        try:
            message = CoordinatorStreamMessage.read(decode_key(event.key), event.value)
        except WireError:
            return
        self._messages.pop(message, None)
        self._messages[message] = None
        if message.type == SetConfig.message_type:
            self._config.apply(event)
