"""Compares the archive of a log with its topic, from which compaction and retention remove events."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple

from eventlog.events import RecordedEvent
from eventlog.source import StreamFacts
from eventlog.timestamps import ms_of

EXAMPLES: Final = 10
"""Events of each kind of difference that are named at most."""


class Pair(NamedTuple):
    """An event as the archive and the topic have it; None where it is missing.

    ``archived_at`` is when it was archived. For an event that the archive lacks, it is when the next one in the archive
    was; None if there is no later one.
    """

    archived: RecordedEvent | None
    current: RecordedEvent | None
    archived_at: datetime | None

    @property
    def is_different(self) -> bool:
        """Whether both have the event, with another key, value, time or headers. Leader epochs are not compared."""
        return self.archived is not None and self.current is not None and self.archived[:-1] != self.current[:-1]


def pair_events(
    archived: Iterable[tuple[RecordedEvent, datetime | None]], current: Iterable[RecordedEvent]
) -> Iterator[Pair]:
    """Join the events of the archive, with their archiving times, and of the topic; both are in offset order."""
    from_archive, from_topic = iter(archived), iter(current)
    old, archived_at = next(from_archive, (None, None))
    new = next(from_topic, None)
    while old is not None or new is not None:
        if new is None or (old is not None and old.offset < new.offset):
            yield Pair(old, None, archived_at)
            old, archived_at = next(from_archive, (None, None))
        elif old is None or new.offset < old.offset:
            yield Pair(None, new, archived_at)
            new = next(from_topic, None)
        else:
            yield Pair(old, new, archived_at)
            old, archived_at = next(from_archive, (None, None))
            new = next(from_topic, None)


@dataclass
class TopicComparison:
    """What differs between archive and topic: counts, and the first examples of ``missing`` and ``different`` events.

    ``missing`` events are in the topic only. Events in the archive only are `lost`, unless Kafka may have removed them:

    - by compaction: a later event has the same key, or the event has no key;
    - a tombstone: the topic's ``delete.retention.ms`` may have passed;
    - by retention: the topic deletes old events, and now starts later.

    Memory holds the keys whose newest event is in the archive only, as digests.
    """

    facts: StreamFacts
    now: datetime
    missing: int = 0
    different: int = 0
    missing_events: list[RecordedEvent] = field(default_factory=list)
    different_events: list[Pair] = field(default_factory=list)
    _unexplained: dict[bytes, int] = field(default_factory=dict)

    def add(self, pair: Pair) -> None:
        if pair.current is not None:
            self.add_later(pair.current)
            if pair.archived is None:
                self.missing += 1
                self.missing_events += [pair.current] if self.missing <= EXAMPLES else []
            elif pair.is_different:
                self.different += 1
                self.different_events += [pair] if self.different <= EXAMPLES else []
        elif pair.archived is not None and pair.archived_at is not None:
            self.add_later(pair.archived)
            if not self._is_explained(pair.archived, pair.archived_at):
                self._unexplained[_digest(pair.archived.key)] = pair.archived.offset

    def add_later(self, event: RecordedEvent) -> None:
        """Let an event explain why earlier ones of its key are gone."""
        if self._unexplained:
            self._unexplained.pop(_digest(event.key), None)

    @property
    def lost(self) -> list[int]:
        """The offsets of events that the topic no longer has and that nothing explains, in order."""
        return sorted(self._unexplained.values())

    def _is_explained(self, event: RecordedEvent, archived_at: datetime) -> bool:
        """Whether Kafka may have removed the event, whatever comes after it."""
        if event.key is None or (self.facts.deletes_old and event.offset < self.facts.start_offset):
            return True
        retention_ms = self.facts.delete_retention_ms
        written_ms = min(event.timestamp, ms_of(archived_at))
        return event.value is None and (retention_ms is None or written_ms + retention_ms <= ms_of(self.now))


def _digest(key: bytes | None) -> bytes:
    return hashlib.sha256(key or b"").digest()
