"""What Kafka's log cleaner leaves of a log."""

from collections.abc import Sequence

from eventlog.events import RecordedEvent


def latest_per_key(
    events: Sequence[RecordedEvent], *, keep_tombstones: bool = True, upto: int | None = None
) -> list[RecordedEvent]:
    """The last event of each key, in the order of the log and with its own offset, so that gaps stay.

    Events are those of one log in ascending order. With ``upto`` only what lies below that offset is cleaned, and is
    not compared with what lies above, as a cleaner that has come so far. Events without a key are dropped there, and
    with ``keep_tombstones`` False also tombstones, as after ``delete.retention.ms``.
    """
    head = [event for event in events if upto is None or event.offset < upto]
    last = {event.key: event.offset for event in head}
    kept = [event for event in head if event.key is not None and last[event.key] == event.offset]
    if not keep_tombstones:
        kept = [event for event in kept if event.value is not None]
    return kept + list(events[len(head) :])
