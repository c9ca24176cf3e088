"""CoordinatorStreamMessage, and the consumer, producer and writer of a job's coordinator stream."""

import logging
from collections.abc import Mapping, Sequence
from types import EllipsisType
from typing import Any, Final, Self

from eventlog.errors import WireError, json_type
from eventlog.events import NewEvent, RecordedEvent
from eventlog.frozen_dict import FrozenDict, frozen_deeply
from eventlog.log import Clock, end_after, system_clock
from eventlog.messages import PROTOCOL_VERSION, KeyVersion, Message, SetConfig
from eventlog.wire.coordinator import CoordinatorKey, decode_key, encode_key, encode_message
from eventlog.wire.jackson import dumps, dumps_text, loads
from managers.config.job_config import config_of, config_value, set_config
from managers.errors import NotReady
from managers.job_names import Config
from managers.stored_messages import make_envelope, with_envelope
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.stores.keyed_state import KeyedState, decode_value
from managers.wrapped_logs import LogOrOpener, StreamClient, split_into_parts, written_event


class CoordinatorStreamMessage:
    """A key (version, type, key) and a map with the ``values``; without a map, a delete (Samza's class). Immutable.

    Messages with the same key and values (or map, if it has no values) are equal: the envelope does not matter
    (SAMZA-731).
    """

    __slots__ = ("_map", "key_array")

    def __init__(
        self,
        source: str | None = None,
        *,
        key_array: Sequence[Any] = (PROTOCOL_VERSION, None, None),
        message_map: Mapping[str, Any] | EllipsisType | None = ...,
        clock: Clock = system_clock,
    ) -> None:
        """A new message with an envelope of ``source``, or with an existing ``message_map`` (None: a delete)."""
        self.key_array: Final = tuple(key_array)
        fields = _new_map(source, clock) if isinstance(message_map, EllipsisType) else message_map
        self._map: Mapping[str, Any] | None = None if fields is None else loads(dumps_text(fields))

    @classmethod
    def read(cls, key: CoordinatorKey, value: bytes | None) -> "CoordinatorStreamMessage":
        """Decode an event. Raises `WireError` if its value is not a JSON object."""
        message_map = None if value is None else loads(value)
        if message_map is not None and not isinstance(message_map, dict):
            raise WireError("wrong_type", f"the value is {json_type(message_map)}, not an object")
        message = cls(key_array=key, message_map=None)
        message._map = message_map
        return message

    @property
    def message_map(self) -> Mapping[str, Any] | None:
        """All fields, including the values; None for a delete."""
        return None if self._map is None else frozen_deeply(self._map)

    @property
    def version(self) -> KeyVersion:
        """The version of the protocol; Samza writes 1."""
        return self._part(0)

    @property
    def type(self) -> str | None:
        return self._part(1)

    @property
    def key(self) -> str | None:
        """The key, whose meaning depends on the type; None if not set."""
        return self._part(2)

    @property
    def is_delete(self) -> bool:
        return self._map is None

    @property
    def values(self) -> Mapping[str, Any]:
        """The values by name; empty for a delete, and for types without values."""
        values = (self.message_map or {}).get("values")
        return values if isinstance(values, FrozenDict) else FrozenDict()

    @property
    def config_value(self) -> str | None:
        """The value of a set-config; None if it has none or is a delete."""
        return self.values.get("value")

    @property
    def source(self) -> str | None:
        return self._field("source")

    @property
    def host(self) -> str | None:
        return self._field("host")

    @property
    def username(self) -> str | None:
        return self._field("username")

    @property
    def timestamp(self) -> int | None:
        """When it was written, in ms since 1970; None if unknown."""
        return self._field("timestamp")

    def event(self) -> NewEvent:
        """The event to append. Raises `ValueError` if the message has no type or no key, as texts."""
        if not isinstance(self.type, str) or not isinstance(self.key, str):
            raise ValueError(f"{self!r} needs a type and a key, both texts, before it is written")  # noqa: TRY004
        value = None if self._map is None else dumps(self._map)
        return written_event(self.type, encode_key(self.type, self.key, self.version), value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CoordinatorStreamMessage) and self._identity() == other._identity()

    def __hash__(self) -> int:
        # With the texts of the values: a task has as many distinct messages of one key as it has committed.
        content = self._identity()[-1]
        texts = content.items() if isinstance(content, Mapping) else ()
        return hash((self.type, self.key, frozenset(item for item in texts if isinstance(item[1], str))))

    def __repr__(self) -> str:
        content = "delete" if self._map is None else f"values of {', '.join(map(repr, self.values)) or 'nothing'}"
        return f"<{type(self).__name__} {self.type} {self.key!r}: {content}, by {self.source}>"

    def _identity(self) -> tuple[object, ...]:
        if self._map is not None and "values" in self._map:
            return self.key_array, "values", self._map["values"]
        return self.key_array, "map", self._map

    def _field(self, name: str) -> Any | None:
        return (self._map or {}).get(name)

    def _part(self, at: int) -> Any | None:
        return self.key_array[at] if len(self.key_array) > at else None


def _new_map(source: str | None, clock: Clock) -> dict[str, Any]:
    envelope = make_envelope(source, clock=clock)
    return {
        "host": envelope.host,
        "source": envelope.source,
        "values": {},
        "username": envelope.username,
        "timestamp": envelope.timestamp,
    }


_logger: Final = logging.getLogger(__name__)


class CoordinatorStreamConsumer(StreamClient):
    """Bootstraps a job's config and messages, and catches up later (Samza's CoordinatorStreamSystemConsumer).

    Call `register`, `start`, then `bootstrap`; a context manager does all three. Unreadable events are ignored, with a
    warning. It keeps every distinct message in memory, a `CoordinatorStreamStore` only current ones. Thread-safe.
    """

    def __init__(self, log: LogOrOpener) -> None:
        """``log``: the coordinator stream, or a function that opens it in `register`, and again after a failed call."""
        super().__init__(log)
        self._position = 0
        self._stream_id: str | None = None
        self._is_bootstrapped = False
        self._messages: dict[CoordinatorStreamMessage, None] = {}
        self._config: KeyedState[Message] = KeyedState(decode_value)

    def register(self) -> None:
        """Open the log. Reading begins at its oldest offset, also if this is called again (SAMZA-789)."""
        with self._lock:
            self._lazy_log.open()

    def bootstrap(self) -> None:
        """Read to the current end of the log. Raises `NotReady`, and `OffsetLost` if the stream was created again."""
        with self._use() as log:
            end = end_after(log, self._position, self._stream_id)
            self._stream_id = log.stream_id
            if self._position < end:
                for event in log.read(self._position, end):
                    self._apply(event, log.stream_name)
                    self._position = event.offset + 1
                self._position = end
            self._is_bootstrapped = True

    def get_bootstrapped_stream(self, message_type: str | None = None) -> tuple[CoordinatorStreamMessage, ...]:
        """The messages of a type (case-insensitive) or of all types, including deletes.

        In the order of the log, without earlier equal messages (SAMZA-699, SAMZA-913). Raises as `bootstrap`.
        """
        wanted = None if message_type is None else message_type.casefold()
        with self._lock:
            self.bootstrap()
            return tuple(message for message in self._messages if wanted in (None, (message.type or "").casefold()))

    def get_config(self) -> Mapping[str, str]:
        """The job's config at the last bootstrap; of an unreadable value, the last readable one. Raises `NotReady`."""
        with self._lock:
            if not self._is_bootstrapped:
                raise NotReady("the coordinator stream consumer", "is not bootstrapped", "call bootstrap() first")
            return config_of(message for _, message in self._config.items(SetConfig.message_type))

    def __enter__(self) -> Self:
        super().__enter__()
        try:
            self.bootstrap()
        except BaseException:
            self.stop()
            raise
        return self

    def _apply(self, event: RecordedEvent, stream_name: str) -> None:
        try:
            message = CoordinatorStreamMessage.read(decode_key(event.key), event.value)
        except WireError as error:
            _logger.warning("Ignoring the event at offset %d of %s: %s", event.offset, stream_name, error)
            return
        self._messages.pop(message, None)
        self._messages[message] = None
        if message.type == SetConfig.message_type:
            self._config.apply(event)


class CoordinatorStreamProducer(StreamClient):
    """Appends messages once it is started; calls return once they are acknowledged. Thread-safe.

    Samza's CoordinatorStreamSystemProducer.
    """

    def __init__(self, log: LogOrOpener, *, clock: Clock = system_clock) -> None:
        """``log``: the coordinator stream, or a function that opens it at the start, and again after a failed call."""
        super().__init__(log)
        self._clock: Final = clock
        self._source: str | None = None

    def register(self, source: str) -> None:
        """Set the source of messages that have no envelope."""
        with self._lock:
            self._source = source

    def send(self, message: Message | CoordinatorStreamMessage) -> int:
        """Append a message, and return its offset. Raises `NotReady`, and ValueError without a type or a key."""
        if isinstance(message, CoordinatorStreamMessage):
            event = message.event()
        else:
            envelope = message.envelope or make_envelope(self._source, clock=self._clock)
            event = written_event(message.message_type, *encode_message(with_envelope(message, envelope)))
        return self._append([event])[-1][0]

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
        with self._use() as log:
            return [log.append(part) for part in split_into_parts(events)]


class CoordinatorStreamWriter(StreamClient):
    """Sets config keys; calls return once they are acknowledged (Samza's class, SAMZA-2797).

    A change of a write-once setting is refused. A context manager. Thread-safe.
    """

    def __init__(self, log: LogOrOpener) -> None:
        """``log``: the coordinator stream, or a function that `start` calls to open it and `stop` closes."""
        super().__init__(log)
        self._store: CoordinatorStreamStore

    def start(self) -> None:
        """Open and read the stream. Does nothing when called again."""
        with self._lock:
            if not self._is_running:
                self._store = CoordinatorStreamStore(self._lazy_log.open())
                self._store.init()
                super().start()

    def send_message(self, message_type: str, key: str, value: str) -> None:
        """Write a ``set-config`` message. Raises ValueError for another ``message_type``."""
        if message_type != SetConfig.message_type:
            raise ValueError(f"message_type must be {SetConfig.message_type!r}, not {message_type!r}")
        self.send_set_config(key, value)

    def send_set_config(self, key: str, value: str) -> None:
        """Set a config key. Raises `WriteOnceChange`."""
        with self._lock:
            self._require_running()
            set_config(self._store, key, value)
