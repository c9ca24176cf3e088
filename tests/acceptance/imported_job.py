"""A job whose streams are imported into a database, and what the relations say of it."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from eventlog.events import NewEvent, RecordedEvent
from eventlog.postgres.connection import Connection
from eventlog.secret_policy import SecretPolicy
from eventlog.streams import StreamKind, checkpoint_stream_name, coordinator_stream_name, identify
from projections.fold.settings import FoldSettings
from projections.log_result import LogResult
from projections.recording_import import import_stream
from tests.builders import recorded

#: When everything is imported: later than any constant record time, so that all of them count.
IMPORTED_AT: Final = datetime(2026, 12, 1, tzinfo=UTC)
SETTINGS: Final = FoldSettings(SecretPolicy(b"a key for tests, 32 bytes long.."))

Row = tuple[Any, ...]


def import_events(
    connection: Connection,
    stream_name: str,
    events: Sequence[RecordedEvent],
    settings: FoldSettings = SETTINGS,
    *,
    kind: StreamKind | None = None,
    batch_events: int = 50_000,
    imported_at: datetime = IMPORTED_AT,
) -> LogResult:
    """Import one stream's events, as the import of a recording does."""
    stream = identify(stream_name, kind)
    return import_stream(connection, stream, lambda: events, settings, lambda: imported_at, batch_events=batch_events)


class ImportedJob:
    """One job among others in a database. Its streams are imported when their events are given.

    ``coordinator`` and ``checkpoints`` are events in offset order; None: the job has no such stream.
    ``imported_at`` must not be before their record times: a test that writes records "now" gives its own.
    """

    def __init__(
        self,
        connection: Connection,
        name: str,
        *,
        coordinator: Iterable[NewEvent] | None = None,
        checkpoints: Iterable[NewEvent] | None = None,
        settings: FoldSettings = SETTINGS,
        imported_at: datetime = IMPORTED_AT,
    ) -> None:
        self.connection, self.name, self.settings, self.imported_at = connection, name, settings, imported_at
        self.coordinator_stream = coordinator_stream_name(name)
        self.checkpoint_stream = checkpoint_stream_name(name)
        if coordinator is not None:
            self.import_recorded(self.coordinator_stream, recorded(coordinator))
        if checkpoints is not None:
            self.import_recorded(self.checkpoint_stream, recorded(checkpoints))

    def import_recorded(self, stream_name: str, events: Sequence[RecordedEvent]) -> LogResult:
        """Import (on) a stream of the job."""
        return import_events(self.connection, stream_name, events, self.settings, imported_at=self.imported_at)

    def rows(self, relation: str, columns: str, where: str = "true") -> list[Row]:
        """Rows of a relation of this job, sorted by all columns in their order (nulls last)."""
        return self._select(f"coordinator.{relation}", columns, f"job_name = '{self.name}' and {where}")

    def rows_as_of(self, relation: str, columns: str, at_ms: int) -> list[Row]:
        """Rows of a relation as of a time in ms since 1970."""
        at = f"timestamptz 'epoch' + {at_ms} * interval '1 ms'"
        return self._select(f"coordinator.{relation}_as_of('{self.name}', '1', {at})", columns)

    def rows_as_of_offset(self, relation: str, columns: str, offset: int, kind: StreamKind | None = None) -> list[Row]:
        """Rows of a relation as of a log offset, inclusive, of its own log or of the one of that kind."""
        kind_text = "null" if kind is None else f"'{kind}'"
        return self._select(f"coordinator.{relation}_as_of_offset('{self.name}', '1', {offset}, {kind_text})", columns)

    def config(self) -> dict[str, str]:
        """The relation ``config``, by key."""
        return dict(self.rows("config", "config_key, config_value"))

    def checkpoint(self) -> dict[tuple[str, str], str | None]:
        """The relation ``checkpoint``: offsets by task and ``system.stream.partition``."""
        found = self.rows(
            "checkpoint", "task_name, concat_ws('.', system_name, stream_name, partition_id), input_offset"
        )
        return {(task, partition): offset for task, partition, offset in found}

    def quarantine(self) -> list[Row]:
        """(offset, reason, is_resolved) of each quarantined event, by stream and offset."""
        found = self.rows("quarantine", "stream_kind, log_offset, reason, is_resolved")
        return [row[1:] for row in found]

    def next_offset(self, kind: StreamKind) -> int:
        """The position of one of the job's logs."""
        ((position,),) = self.rows("log_position", "next_offset", f"stream_kind = '{kind}'")
        return int(position)

    def archived(self, stream_name: str) -> list[tuple[int, bytes | None, bytes | None]]:
        """(offset, key, value) of every event that the archive holds of a stream."""
        query = (
            "select e.log_offset, e.key, e.value from eventlog.event e join eventlog.log l using (log_id)"
            " where l.stream_name = %s order by e.log_offset"
        )
        return [tuple(row) for row in self.connection.execute(query, (stream_name,), binary=True)]

    def _select(self, source: str, columns: str, where: str = "true") -> list[Row]:
        count = len(self.connection.execute(f"select {columns} from {source} limit 0".encode()).description or ())
        order = ", ".join(str(n) for n in range(1, count + 1))
        query = f"select {columns} from {source} where {where} order by {order}"
        return self.connection.execute(query.encode()).fetchall()
