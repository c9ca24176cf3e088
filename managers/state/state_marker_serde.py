"""StateCheckpointMarkerSerde: markers of any backend, with the name of the class that reads them."""

from collections.abc import Mapping
from typing import Any, Final, Protocol, TypeVar

from eventlog.error_text import known_names
from eventlog.errors import WireError
from eventlog.frozen_dict import frozen
from eventlog.state_markers import KAFKA_STATE_BACKEND_FACTORY, KafkaStateCheckpointMarker, StateMarkerLine
from managers.state.state_errors import InvalidMarker

Payload = TypeVar("Payload")


class StateCheckpointPayloadSerde(Protocol[Payload]):
    """Writes and reads the markers of one backend."""

    def serialise(self, payload: Payload) -> str:
        """The text of a marker."""

    def deserialise(self, text: str) -> Payload:
        """The marker with this text. Raises `WireError`."""


class KafkaMarkerSerde:
    """Markers of the Kafka changelog, as JSON; also reads the text of older Samza."""

    def serialise(self, payload: KafkaStateCheckpointMarker) -> str:
        """See `KafkaStateCheckpointMarker.serialise`."""
        return payload.serialise()

    def deserialise(self, text: str) -> KafkaStateCheckpointMarker:
        """See `KafkaStateCheckpointMarker.parse`."""
        return KafkaStateCheckpointMarker.parse(text)


KNOWN_SERDES: Final[Mapping[str, StateCheckpointPayloadSerde[Any]]] = frozen(
    {KAFKA_STATE_BACKEND_FACTORY: KafkaMarkerSerde()}
)


class StateCheckpointMarkerSerde:
    """Writes ``1:<class>:<payload>``, and reads it with the serde of that class (SAMZA-2591).

    A class is looked up among the given ones; a name in a checkpoint never loads code.
    """

    def __init__(self, serdes: Mapping[str, StateCheckpointPayloadSerde[Any]] = KNOWN_SERDES) -> None:
        """``serdes`` are by the full name of the class that is written."""
        self._serdes: Final = dict(serdes)

    def serialise(self, class_name: str, payload: object) -> str:
        """The text of a marker. Raises ValueError if the class has no serde, or its name contains a colon."""
        if class_name not in self._serdes or ":" in class_name:
            raise ValueError(f"{class_name!r} has no serde.{known_names('classes', class_name, self._serdes)}")
        return str(StateMarkerLine(class_name, self._serdes[class_name].serialise(payload)))

    def deserialise(self, text: str, *, task_name: str, store_name: str) -> Any:
        """The payload of a store's marker.

        Raises:
            InvalidMarker: the text is not a marker, its class has no serde, or its payload is invalid.
        """
        try:
            class_name, payload = StateMarkerLine.parse(text)
            if class_name in self._serdes:
                return self._serdes[class_name].deserialise(payload)
        except WireError as error:
            raise InvalidMarker(task_name, store_name, error.detail) from error
        known = known_names("classes", class_name, self._serdes)
        raise InvalidMarker(task_name, store_name, f"its class {class_name!r} has no serde.{known}")
