"""A message of the coordinator stream as Samza holds it, of whatever type (CoordinatorStreamMessage, seed 000)."""

from collections.abc import Mapping, Sequence
from types import EllipsisType
from typing import Any, Final

from eventlog.error_text import json_type
from eventlog.errors import WireError
from eventlog.events import NewEvent
from eventlog.frozen_dict import FrozenDict, frozen_json
from eventlog.log import Clock, system_clock
from eventlog.messages import PROTOCOL_VERSION, KeyVersion, Message
from eventlog.wire.coordinator import CoordinatorKey, decode_message, encode_key
from eventlog.wire.jackson import dumps, loads
from managers.signature import make_envelope

_NOTHING: Final[Mapping[str, Any]] = FrozenDict()


class _JustRead(dict[str, Any]):
    """A map that nobody else has: it is made read-only when somebody asks for it, which few do."""


class CoordinatorStreamMessage:
    """A key of version, type and key, and a map around the ``values``; a message without a map is a delete.

    Equal are messages with the same key and values (or the same map, where it has no values): who wrote them and when
    does not count (SAMZA-731). Can't be changed.
    """

    __slots__ = ("_key", "_map")

    def __init__(
        self,
        source: str | None = None,
        *,
        key_array: Sequence[Any] = (PROTOCOL_VERSION, None, None),
        message_map: Mapping[str, Any] | EllipsisType | None = ...,
        clock: Clock = system_clock,
    ) -> None:
        """A new message signed by its writer, or with a ``message_map`` that was made before; None is a delete."""
        self._key = tuple(key_array)
        made: Mapping[str, Any] | None = (
            _signed(source, clock) if isinstance(message_map, EllipsisType) else message_map
        )
        self._map = made if made is None or isinstance(made, _JustRead) else frozen_json(made)

    @classmethod
    def read(cls, key: CoordinatorKey, value: bytes | None) -> "CoordinatorStreamMessage":
        """The message of an event. Raises `WireError`: its value is no JSON object."""
        message_map = None if value is None else loads(value)
        if message_map is not None and not isinstance(message_map, dict):
            raise WireError("wrong_type", f"the value is {json_type(message_map)}, not an object")
        return cls(key_array=key, message_map=None if message_map is None else _JustRead(message_map))

    @property
    def key_array(self) -> tuple[Any, ...]:
        """Version, type and key."""
        return self._key

    @property
    def message_map(self) -> Mapping[str, Any] | None:
        """All fields around the values, and these; None: the message is a delete."""
        if isinstance(self._map, _JustRead):
            self._map = frozen_json(self._map)
        return self._map

    @property
    def version(self) -> KeyVersion:
        """The version of the protocol; Samza writes 1."""
        version: KeyVersion = self._key[0] if self._key else None
        return version

    @property
    def type(self) -> str | None:
        """The message type; None: not said yet."""
        return self._text(1)

    @property
    def key(self) -> str | None:
        """The key, whose meaning depends on the type; None: not said yet."""
        return self._text(2)

    @property
    def is_delete(self) -> bool:
        """Whether this ends the key."""
        return self._map is None

    @property
    def values(self) -> Mapping[str, Any]:
        """The values by name; empty in a delete, and where a type has none."""
        values = (self.message_map or {}).get("values")
        return values if isinstance(values, FrozenDict) else _NOTHING

    @property
    def config_value(self) -> str | None:
        """The value of a set-config; None: it has none, or is a delete."""
        return self.values.get("value")

    @property
    def source(self) -> str | None:
        """What wrote the message; None: not said."""
        source: str | None = self._field("source")
        return source

    @property
    def host(self) -> str | None:
        """Where it was written; None: not said."""
        host: str | None = self._field("host")
        return host

    @property
    def username(self) -> str | None:
        """Who wrote it; None: not said."""
        username: str | None = self._field("username")
        return username

    @property
    def timestamp(self) -> int | None:
        """When it was written, in ms since 1970; None: not said."""
        timestamp: int | None = self._field("timestamp")
        return timestamp

    def typed(self) -> Message:
        """The same as a class of its type. Raises `WireError`: the values are not of the type."""
        value = None if self._map is None else dumps(self._map)
        return decode_message(CoordinatorKey(self.version, self.type or "", self.key or ""), value)

    def event(self) -> NewEvent:
        """The event to append.

        Raises:
            ValueError: the message has no type or no key.
        """
        if self.type is None or self.key is None:
            raise ValueError(f"{self!r} has no type or no key: give it both before it is written")
        value = None if self._map is None else dumps(self._map)
        return NewEvent(encode_key(self.type, self.key, self.version), value)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CoordinatorStreamMessage):
            return False
        if type(self._map) is not type(other._map):  # only one is frozen: it has tuples for lists
            return self._said(self.message_map) == other._said(other.message_map)
        return self._said(self._map) == other._said(other._map)

    def __hash__(self) -> int:
        return hash((self.is_delete, self.type, self.key))

    def __repr__(self) -> str:
        said = "delete" if self._map is None else f"values of {', '.join(map(repr, self.values)) or 'nothing'}"
        return f"<{type(self).__name__} {self.type} {self.key!r}: {said}, by {self.source}>"

    def _said(self, message_map: Mapping[str, Any] | None) -> tuple[object, ...]:
        if message_map is not None and "values" in message_map:
            return self._key, "values", message_map["values"]
        return self._key, "map", message_map

    def _field(self, name: str) -> Any:
        return None if self._map is None else frozen_json(self._map.get(name))

    def _text(self, at: int) -> str | None:
        text: str | None = self._key[at] if len(self._key) > at else None
        return text


def _signed(source: str | None, clock: Clock) -> dict[str, Any]:
    envelope = make_envelope(source, clock=clock)
    return {
        "host": envelope.host,
        "source": envelope.source,
        "values": {},
        "username": envelope.username,
        "timestamp": envelope.timestamp,
    }
