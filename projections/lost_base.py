"""Finds events that a topic has and that a log needs below its horizon, although the archive lacks them.

A retention has detached the other events that only the topic has.
"""

import hashlib
from collections.abc import Iterable
from typing import Final

from eventlog.events import RecordedEvent
from eventlog.postgres.archive import read_archived
from eventlog.postgres.archive_comparison import horizon_offset
from eventlog.postgres.connection import Connection
from eventlog.source import EventSource, StreamFacts
from eventlog.topic_comparison import pair_events
from projections.fold.batch import sets_value
from projections.fold.log_fold import LogFold
from projections.fold.settings import FoldSettings
from projections.tracked_logs import TrackedLog

_WITH_ROWS: Final = """
select r.log_offset from (
  select m.log_offset from projection.message_event m where m.log_id = %(log_id)s
  union select c.log_offset from projection.checkpoint_event c where c.log_id = %(log_id)s
  union select q.log_offset from projection.quarantine q where q.log_id = %(log_id)s
  union select t.log_offset from projection.log_time t where t.log_id = %(log_id)s) r
where r.log_offset < %(horizon)s
  and not exists (select from eventlog.event e where e.log_id = %(log_id)s and e.log_offset = r.log_offset)
"""


def lost_base(
    connection: Connection, source: EventSource, log: TrackedLog, facts: StreamFacts, settings: FoldSettings
) -> frozenset[int]:
    """Return the offsets below a log's horizon that its topic has and its archive should have, too.

    They are those of events with rows, and of the newest value of each key at the horizon: if the rows are lost too,
    other events that a retention had kept are not found. An event without key and value has no rows, and is not found.
    """
    horizon = horizon_offset(connection, log.log_id)
    if horizon <= facts.start_offset:
        return frozenset()
    topic = source.read(log.stream.stream_name, facts.start_offset, horizon + 1)
    return frozenset(find_lost_base(connection, log, horizon, topic, settings))


def find_lost_base(
    connection: Connection, log: TrackedLog, horizon: int, topic: Iterable[RecordedEvent], settings: FoldSettings
) -> set[int]:
    """As `lost_base`, with the topic's events up to the horizon. There may be offsets that the topic lacks, too."""
    log_id = log.log_id
    pages = read_archived(connection, log_id, 0, horizon + 1)
    archived = ((event, None) for events, _ in pages for event in events)
    fold = LogFold(log_id, log.stream.stream_kind, settings.secrets)
    newest: dict[bytes, int] = {}  # of the keys whose newest event only the topic has, as digests
    for pair in pair_events(archived, topic):
        event = pair.archived or pair.current
        if event is not None and event.key is not None:
            key = hashlib.sha256(event.key).digest()
            newest.pop(key, None)
            if pair.archived is None and sets_value(fold, event):
                newest[key] = event.offset
    values = {"log_id": log_id, "horizon": horizon}
    with_rows = {offset for (offset,) in connection.execute(_WITH_ROWS, values).fetchall()}
    return with_rows | set(newest.values())
