"""A projection with the library `eventsourcing`: its log in Postgres, its runner, and one transaction for each event.

Only the projection is timed. The log is written before, and its events contain the parsed checkpoint.
"""

import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, cast
from uuid import NAMESPACE_URL, UUID, uuid5

from eventsourcing.application import Application
from eventsourcing.domain import DomainEvent
from eventsourcing.persistence import Tracking
from eventsourcing.postgres import PostgresDatastore, PostgresTrackingRecorder
from eventsourcing.projection import Projection, ProjectionRunner
from psycopg.conninfo import conninfo_to_dict
from psycopg.sql import SQL
from psycopg.types.json import Jsonb

from eventlog.events import RecordedEvent

SET_CHECKPOINT: Final = "set-checkpoint"
SAVED_AT_ONCE: Final = 500
_PATIENCE_SECONDS: Final = 600.0
_UPSERT: Final = """
insert into checkpoint values (%s, %s, %s, %s)
on conflict (task_name, partition) do update
set input_offset = excluded.input_offset, log_offset = excluded.log_offset
"""
_INSERT: Final = "insert into checkpoint_event values (%s, %s, %s)"
_CREATE: Final = SQL("""
create table if not exists checkpoint (
    task_name text, partition text, input_offset text not null, log_offset bigint not null,
    primary key (task_name, partition)
)
""")
_CREATE_HISTORY: Final = SQL("""
create table if not exists checkpoint_event (log_offset bigint primary key, task_name text, offsets jsonb not null)
""")


@dataclass(frozen=True)
class CheckpointWritten(DomainEvent):
    """A task has written its offsets by input partition."""

    task_name: str
    offsets: dict[str, str]
    log_offset: int


class CheckpointLog(Application[UUID]):
    """The log: a sequence of events for each task, and one of all of them."""


class CurrentCheckpoints(PostgresTrackingRecorder):
    """The current offsets and, if wanted, all checkpoints, in tables beside the library's position."""

    keeps_history = False

    def __init__(self, datastore: PostgresDatastore, **options: Any) -> None:
        super().__init__(datastore, **options)
        self.sql_create_statements += [_CREATE.format(), _CREATE_HISTORY.format()]

    def upsert(self, event: CheckpointWritten, tracking: Tracking) -> None:
        """Write a task's offsets and the position in one transaction."""
        rows = [(event.task_name, *offset, event.log_offset) for offset in event.offsets.items()]
        with self.datastore.transaction(commit=True) as cursor:
            self._insert_tracking(cursor, tracking)
            cursor.executemany(_UPSERT, rows)
            if self.keeps_history:
                cursor.execute(_INSERT, (event.log_offset, event.task_name, Jsonb(event.offsets)))


class CheckpointHistory(CurrentCheckpoints):
    """The current offsets, and all checkpoints."""

    keeps_history = True


class CheckpointProjection(Projection[CurrentCheckpoints]):
    """Writes the log's events to the table. ``processed_at``: when it has written the last one."""

    processed_at = 0.0

    def process_event(self, domain_event: Any, tracking: Tracking) -> None:
        """Write one event."""
        self.view.upsert(domain_event, tracking)
        self.processed_at = time.perf_counter()


def project_checkpoints(url: str, events: Sequence[RecordedEvent], *, keeps_history: bool) -> tuple[int, float]:
    """Write these events' checkpoints to a log in an empty database and project it; return their number and seconds."""
    env, last_id = _environment(url), 0
    written = list(_checkpoints(events))
    with closing(CheckpointLog(env)) as log:
        for first in range(0, len(written), SAVED_AT_ONCE):
            last_id = log.save(*written[first : first + SAVED_AT_ONCE])[-1].notification.id
    started = time.perf_counter()
    with ProjectionRunner(
        application_class=CheckpointLog,
        projection_class=CheckpointProjection,
        view_class=CheckpointHistory if keeps_history else CurrentCheckpoints,
        env=env,
    ) as runner:
        runner.wait(last_id, timeout=_PATIENCE_SECONDS)
        projection = cast("CheckpointProjection", runner.projection)
        return len(written), projection.processed_at - started


def _checkpoints(events: Sequence[RecordedEvent]) -> Iterator[CheckpointWritten]:
    versions: Counter[str] = Counter()
    for event in events:
        if event.key is None or event.value is None:
            continue
        _version, message_type, task_name = json.loads(event.key)
        if message_type == SET_CHECKPOINT:
            versions[task_name] += 1
            yield CheckpointWritten(
                originator_id=uuid5(NAMESPACE_URL, task_name),
                originator_version=versions[task_name],
                timestamp=datetime.fromtimestamp(0, UTC),
                task_name=task_name,
                offsets=json.loads(event.value)["values"],
                log_offset=event.offset,
            )


def _environment(url: str) -> dict[str, str]:
    place = conninfo_to_dict(url)
    names = {"DBNAME": "dbname", "HOST": "host", "PORT": "port", "USER": "user", "PASSWORD": "password"}
    values = {f"POSTGRES_{name}": str(place[key]) for name, key in names.items()}
    return {"PERSISTENCE_MODULE": "eventsourcing.postgres", **values}
