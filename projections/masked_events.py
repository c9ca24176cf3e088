"""The events of one log with fingerprints in place of secrets, at the speed of the fold.

`mask_event` examines every text of an event. Most values of a log differ from an earlier one only in numbers, or are
configuration that every start of a job writes again: they are recognised as the fold recognises them, and need no JSON.
"""

from typing import Final

from eventlog.errors import WireError
from eventlog.events import RecordedEvent
from eventlog.masked_event import mask_event
from eventlog.messages import SetConfig
from eventlog.secret_policy import SecretPolicy
from eventlog.streams import StreamKind
from projections.fold.checkpoint_template import learn
from projections.fold.checkpoints import NO_OFFSETS, decode_checkpoint
from projections.fold.keys import KeyEntry
from projections.fold.log_fold import LogFold


class MaskedEvents:
    """Masks the events of a log as `mask_event` does."""

    def __init__(self, kind: StreamKind, secrets: SecretPolicy) -> None:
        self._fold = LogFold(0, kind, secrets)
        self.entry: Final = self._fold.keys.entry
        self._plain_keys: set[bytes] = set()

    def is_plain_config(self, entry: KeyEntry, value: bytes) -> bool:
        """Whether a value sets a config key, and neither it nor its key shows a secret."""
        meaning = entry.meaning
        is_config = meaning.message_type == SetConfig.message_type and not meaning.is_other and not meaning.is_sensitive
        return is_config and self._fold.plain_configs.is_plain(value)

    def mask(self, event: RecordedEvent) -> RecordedEvent:
        """The event without secrets; an event without any is returned unchanged, byte for byte."""
        key, value = event.key, event.value
        if key is None or value is None or event.headers or key not in self._plain_keys:
            return self._mask_in_full(event)
        entry = self.entry(key)
        is_plain = self.is_plain_config(entry, value) if entry.task is None else _is_plain_checkpoint(entry, value)
        return event if is_plain else self._mask_in_full(event)

    def _mask_in_full(self, event: RecordedEvent) -> RecordedEvent:
        masked = mask_event(event, self._fold.secrets)
        if event.key is not None and masked.key == event.key:
            self._plain_keys.add(event.key)
            self._learn(self.entry(event.key), event.value, has_secret=masked.value != event.value)
        return masked

    def _learn(self, entry: KeyEntry, value: bytes | None, *, has_secret: bool) -> None:
        """Remember what a checkpoint without secrets consists of; others that differ in numbers only have none."""
        if entry.task is None or value is None or _is_plain_checkpoint(entry, value):
            return
        entry.template = None
        if has_secret:
            return
        try:
            decoded = decode_checkpoint(entry.version, entry.coordinator_key, value)
        except WireError:
            return
        if decoded is not None:
            key, roles = entry.coordinator_key, self._fold.roles
            entry.template = learn(entry.version, key, value, decoded, NO_OFFSETS, roles)


def _is_plain_checkpoint(entry: KeyEntry, value: bytes) -> bool:
    return entry.template is not None and entry.template.read(value) is not None
