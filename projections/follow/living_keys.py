"""Keys that a log has according to the projection: those that are not met when all of it is read again are gone."""

import hashlib
from collections.abc import Iterable
from typing import Final

from eventlog.events import RecordedEvent
from eventlog.postgres.connection import Connection

_LIVING: Final = """
select k.key_sha256, max(l.log_offset)
from (
  select key_id, log_offset from projection.message_current where log_id = %(log_id)s
  union all
  select key_id, log_offset from projection.checkpoint_current where log_id = %(log_id)s
  union all
  select key_id, log_offset from projection.quarantine where log_id = %(log_id)s and resolved_by is null
) l join projection.event_key k on k.log_id = %(log_id)s and k.key_id = l.key_id
group by k.key_sha256
"""
_KEYS: Final = "select key from eventlog.event where log_id = %s and log_offset = any(%s) order by log_offset"


class LivingKeys:
    """The living keys of a log that were not met yet; it holds a digest of each, not its bytes.

    Living is what has a row in a current table, or an open place in quarantine.
    """

    def __init__(self, connection: Connection, log_id: int) -> None:
        self._connection = connection
        self._log_id = log_id
        rows = connection.execute(_LIVING, {"log_id": log_id}, binary=True).fetchall()
        self._offsets: dict[bytes, int] = dict(rows)

    def meet(self, events: Iterable[RecordedEvent]) -> None:
        """Strike out the keys of these events."""
        for event in events:
            if event.key is not None:
                self._offsets.pop(hashlib.sha256(event.key).digest(), None)

    def __len__(self) -> int:
        return len(self._offsets)

    def unmet(self) -> list[bytes]:
        """The exact bytes of the keys that are left, in the order of their events in the archive."""
        offsets = list(self._offsets.values())
        return [key for (key,) in self._connection.execute(_KEYS, (self._log_id, offsets), binary=True)]
