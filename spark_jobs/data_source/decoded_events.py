"""The decoded columns of events: what a message is, and its value with fingerprints in place of secrets."""

from collections.abc import Sequence

from eventlog.errors import WireError
from eventlog.events import RecordedEvent
from eventlog.masked_event import mask_event
from eventlog.messages import Delete
from eventlog.secret_policy import SecretPolicy
from eventlog.streams import StreamKind
from eventlog.wire.coordinator import decode_message
from projections.fold.keys import KeyDictionary, KeyEntry


class DecodedEvents:
    """Decodes events of one log. Types, keys and operations are those of the relation `event`."""

    def __init__(self, kind: StreamKind, secrets: SecretPolicy) -> None:
        self._secrets = secrets
        self._keys = KeyDictionary(kind, secrets)
        self._columns = {
            "message_type": self._message_type,
            "message_key": self._message_key,
            "operation": self._operation,
            "message_value": self._message_value,
        }

    def column(self, name: str, events: Sequence[RecordedEvent]) -> list[str | None]:
        """The values of the column `message_type`, `message_key`, `operation` or `message_value`."""
        return list(map(self._columns[name], events))

    def _entry(self, event: RecordedEvent) -> KeyEntry | None:
        if event.key is None:
            return None
        return self._keys.entries.get(event.key) or self._keys.add(event.key)

    def _message_type(self, event: RecordedEvent) -> str | None:
        entry = self._entry(event)
        return None if entry is None else entry.meaning.message_type

    def _message_key(self, event: RecordedEvent) -> str | None:
        entry = self._entry(event)
        return None if entry is None else entry.meaning.message_key

    def _operation(self, event: RecordedEvent) -> str:
        if event.value is None:
            return "delete"
        entry = self._entry(event)
        is_message = entry is not None and entry.task is None and not entry.meaning.is_other
        return "delete" if is_message and entry is not None and _is_delete(entry, event.value) else "set"

    def _message_value(self, event: RecordedEvent) -> str | None:
        value = mask_event(event, self._secrets).value
        return None if value is None else value.decode("utf-8", "backslashreplace")


def _is_delete(entry: KeyEntry, value: bytes) -> bool:
    """Whether a value means that its key is deleted, as older writers did."""
    if entry.coordinator_key is None:
        return False
    try:
        return isinstance(decode_message(entry.coordinator_key, value), Delete)
    except WireError:
        return False
