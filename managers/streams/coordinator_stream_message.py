"""CoordinatorStreamMessage: an untyped message of the coordinator stream."""

from collections.abc import Mapping, Sequence
from types import EllipsisType
from typing import Any, Final

from eventlog.errors import WireError, json_type
from eventlog.events import NewEvent
from eventlog.frozen_dict import FrozenDict, frozen_deeply
from eventlog.log import Clock, system_clock
from eventlog.messages import PROTOCOL_VERSION, KeyVersion
from eventlog.wire.coordinator import CoordinatorKey, encode_key
from eventlog.wire.jackson import dumps, dumps_text, loads
from managers.stored_messages import make_envelope
from managers.wrapped_logs import written_event

_NOTHING: Final[Mapping[str, Any]] = FrozenDict()


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
        return values if isinstance(values, FrozenDict) else _NOTHING

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
        """The event to append. Raises `ValueError` if the message has no type or no key."""
        if self.type is None or self.key is None:
            raise ValueError(f"{self!r} needs a type and a key before it is written")
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
