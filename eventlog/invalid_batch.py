"""Record batches whose records have no valid offsets: each is kept as one event, with its range and its bytes.

Brokers do not check the offsets of records in a batch, so a producer can write any. The event has no key, so it changes
nothing and goes to quarantine.
"""

import re
from typing import Final

from eventlog.events import RecordedEvent

_MARK: Final = b"Invalid record batch of offsets %d to %d:\n"
_MARKED: Final = re.compile(rb"Invalid record batch of offsets ([0-9]+) to ([0-9]+):\n")


def invalid_batch_event(
    first: int, last: int, records: bytes, *, timestamp: int, timestamp_type: int, leader_epoch: int
) -> RecordedEvent:
    """The event at the first offset of a batch that stands for its records."""
    value = _MARK % (first, last) + records
    return RecordedEvent(first, timestamp, timestamp_type, None, value, (), leader_epoch)


def invalid_batch_range(value: bytes) -> tuple[int, int] | None:
    """The first and last offset of the batch whose event has this value; None: it is another event."""
    found = _MARKED.match(value)
    return None if found is None else (int(found[1]), int(found[2]))
