"""CoordinatorStreamProducer: appends messages to a job's coordinator stream."""

from collections.abc import Sequence
from threading import RLock
from types import TracebackType
from typing import Final, Self

from eventlog.events import NewEvent
from eventlog.log import Clock, system_clock
from eventlog.messages import Envelope, Message, SetConfig
from eventlog.wire.coordinator import encode_key, encode_message
from managers.appending import append_in_parts
from managers.config.job_config import config_value
from managers.envelopes import make_envelope
from managers.errors import NotReady
from managers.job_names import Config
from managers.lazy_log import LazyLog, LogOrOpener
from managers.streams.coordinator_stream_message import CoordinatorStreamMessage

_WHAT: Final = "the coordinator stream producer"


class CoordinatorStreamProducer:
    """Appends messages; calls return once they are acknowledged (Samza's CoordinatorStreamSystemProducer).

    Call `register` with a source, `start`, then `send`. A context manager. Thread-safe.
    """

    def __init__(self, log: LogOrOpener, *, clock: Clock = system_clock) -> None:
        """``log``: the coordinator stream, or a function that opens it at the start, and again after a failed call."""
        self._lazy_log: Final = LazyLog(log)
        self._clock: Final = clock
        self._lock: Final = RLock()
        self._source: str | None = None
        self._is_started = False

    def register(self, source: str) -> None:
        """Set the source of messages that have no envelope."""
        with self._lock:
            self._source = source

    def start(self) -> None:
        """Open the log. Does nothing when called again."""
        with self._lock:
            self._lazy_log.open()
            self._is_started = True

    def stop(self) -> None:
        """Close the log if it was opened here. Safe to call before `start` and again."""
        with self._lock:
            self._is_started = False
            self._lazy_log.close()

    def send(self, message: Message | CoordinatorStreamMessage) -> int:
        """Append a message, and return its offset.

        Raises:
            NotReady: the producer is not started.
            ValueError: the message has no type or no key.
        """
        return self._append([self._event(message)])[-1][0]

    def write_config(self, source: str, config: Config) -> None:
        """Set all keys of a config in one call. Raises `NotReady` if the producer is not started.

        `managers.config.job_config.write_config` also deletes other keys, and protects write-once settings.
        """
        envelope = make_envelope(source, clock=self._clock)
        self._append(
            [
                NewEvent(encode_key(SetConfig.message_type, key), config_value(key, value, envelope))
                for key, value in config.items()
            ]
        )

    def flush(self, source: str | None = None) -> None:
        """Do nothing: every send is acknowledged."""

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def _append(self, events: Sequence[NewEvent]) -> list[range]:
        with self._lock:
            if not self._is_started:
                raise NotReady(_WHAT, "is not running", "call start() first")
            with self._lazy_log.use() as log:
                return append_in_parts(log, events)

    def _event(self, message: Message | CoordinatorStreamMessage) -> NewEvent:
        if isinstance(message, CoordinatorStreamMessage):
            return message.event()
        if message.envelope is None:
            return NewEvent(*encode_message(message.model_copy(update={"envelope": self._envelope()})))
        return NewEvent(*encode_message(message))

    def _envelope(self) -> Envelope:
        return make_envelope(self._source, clock=self._clock)
