"""Writes messages to a job's coordinator stream (CoordinatorStreamSystemProducer of Samza, seed 000)."""

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
from managers.errors import NotReady
from managers.job_names import Config
from managers.lazy_log import LazyLog, LogOrOpener
from managers.signature import make_envelope
from managers.streams.coordinator_stream_message import CoordinatorStreamMessage

_WHAT: Final = "the coordinator stream producer"


class CoordinatorStreamProducer:
    """Appends messages, each acknowledged by the log before the call returns.

    `register` a source, `start`, then `send`. Safe for threads. A context manager.
    """

    def __init__(self, log: LogOrOpener, *, clock: Clock = system_clock) -> None:
        """``log``: the job's coordinator stream, or what opens it at `start`; what was opened is closed by `stop`."""
        self._held: Final = LazyLog(log)
        self._clock: Final = clock
        self._lock: Final = RLock()
        self._source: str | None = None
        self._is_started = False

    def register(self, source: str) -> None:
        """Name who writes; messages that don't say it are signed so."""
        with self._lock:
            self._source = source

    def start(self) -> None:
        """Open the log; only the first call does."""
        with self._lock:
            self._held.open()
            self._is_started = True

    def stop(self) -> None:
        """Close the log if it was opened here; does no harm before `start` or a second time."""
        with self._lock:
            self._is_started = False
            self._held.close()

    def send(self, message: Message | CoordinatorStreamMessage) -> int:
        """Append a message, and give its offset.

        Raises:
            NotReady: it is not started.
            ValueError: the message has no type or no key.
        """
        return self._append([self._event(message)])[-1][0]

    def write_config(self, source: str, config: Config) -> None:
        """Set all keys of a config and no more, at once. Raises `NotReady`: it is not started.

        `managers.config.job_config.write_config` also deletes what is not defined any more, and minds what may change.
        """
        envelope = make_envelope(source, clock=self._clock)
        self._append(
            [
                NewEvent(encode_key(SetConfig.message_type, key), config_value(key, value, envelope))
                for key, value in config.items()
            ]
        )

    def flush(self, source: str | None = None) -> None:
        """Do nothing: what was sent is acknowledged."""

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
            return append_in_parts(self._held.open(), events)

    def _event(self, message: Message | CoordinatorStreamMessage) -> NewEvent:
        if isinstance(message, CoordinatorStreamMessage):
            return message.event()
        if message.envelope is None:
            return NewEvent(*encode_message(message.model_copy(update={"envelope": self._signed()})))
        return NewEvent(*encode_message(message))

    def _signed(self) -> Envelope:
        return make_envelope(self._source, clock=self._clock)
