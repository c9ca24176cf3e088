"""Generated logs imported in different ways, and what the relations then show of all jobs at once."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from eventlog.events import RecordedEvent
from eventlog.postgres.connection import Connection
from eventlog.secret_policy import SecretPolicy
from eventlog.streams import identify
from projections.fold.settings import FoldSettings
from projections.log_result import LogResult
from projections.projector import BATCH_EVENTS, MakeProjector, OnStep, Projector
from projections.recording_import import import_stream
from tests.oracle import FINGERPRINT_KEY, ROWS, Row
from tests.properties.generated_jobs import ARCHIVED_MS, GeneratedJob, GeneratedLog

SETTINGS: Final = FoldSettings(SecretPolicy(FINGERPRINT_KEY))
ARCHIVED_AT: Final = datetime.fromtimestamp(ARCHIVED_MS // 1_000, UTC)
JUDGED_AT: Final = "2025-06-15 16:00:00+00"
"""A time after every believable event; some startpoints have expired by then."""

CURRENT: Final = (*ROWS, "starting_offset", "job")
"""Every relation that says what is true now."""

HISTORIES: Final = (
    "config_history",
    "checkpoint_history",
    "commit_history",
    "state_checkpoint_history",
    "config_change",
    "config_deployment",
    "changelog_mapping_history",
    "container_host_history",
    "container_execution_history",
    "task_container_history",
    "task_mode_history",
    "task_partition_history",
    "job_coordinator_metadata_history",
    "event",
    "quarantine",
    "state_lag",
)
"""Every relation that tells of events which compaction removes."""

_NOT_COMPARED: Final = {"job": {"first_record_time", "last_record_time"}}

RowsByJob = dict[str, list[Row]]


def import_events(
    connection: Connection,
    stream_name: str,
    events: Sequence[RecordedEvent],
    batch_events: int = BATCH_EVENTS,
    *,
    is_atomic: bool = False,
    make_projector: MakeProjector = Projector,
    on_progress: Callable[[int], None] = lambda _: None,
) -> LogResult:
    """Import events as a recorded stream."""
    return import_stream(
        connection,
        identify(stream_name),
        lambda: events,
        SETTINGS,
        lambda: ARCHIVED_AT,
        batch_events=batch_events,
        is_atomic=is_atomic,
        make_projector=make_projector,
        on_progress=on_progress,
    )


def always_copying(on_step: OnStep = lambda _: None) -> MakeProjector:
    """Make projectors that send every batch by COPY, also a small one."""
    return partial(Projector, few_events=0, on_step=on_step)


def import_log(connection: Connection, log: GeneratedLog, batch_events: int = BATCH_EVENTS) -> LogResult:
    """Import a generated log."""
    return import_events(connection, log.stream_name, log.events, batch_events)


def with_events(job: GeneratedJob, change: Callable[[GeneratedLog], list[RecordedEvent]]) -> GeneratedJob:
    """The job with other events on its logs."""

    def changed(log: GeneratedLog | None) -> GeneratedLog | None:
        return None if log is None else replace(log, events=change(log))

    return GeneratedJob(job.number, changed(job.coordinator), changed(job.checkpoint))


def rows_by_job(connection: Connection, relation: str) -> RowsByJob:
    """All rows of a relation in an order of their own, without the columns that compaction may change."""
    source = "starting_offset_at_a_time" if relation == "starting_offset" else f"coordinator.{relation}"
    if relation == "starting_offset":
        source = (
            "(select s.* from (select distinct job_name, job_id from coordinator.job) j cross join lateral"
            f" coordinator.starting_offset_as_of(j.job_name, j.job_id, '{JUDGED_AT}') s) {source}"
        )
    return grouped(connection, f"select * from {source}", _NOT_COMPARED.get(relation, set()))


def grouped(connection: Connection, query: str, left_out: Iterable[str] = ()) -> RowsByJob:
    """A query's rows by the number of the job, which stands in its name; sorted."""
    cursor = connection.execute(query.encode())
    names = [column.name for column in cursor.description or ()]
    places = [at for at, name in enumerate(names) if name not in left_out]
    found: RowsByJob = {}
    for row in cursor:
        found.setdefault(job_key(row[0]), []).append(tuple(row[at] for at in places))
    return {job: sorted(rows, key=repr) for job, rows in found.items()}


def job_key(job_name: Any) -> str:
    """The same for `job_7` and `job-7`."""
    return str(job_name).replace("_", "-")


def differing(one: RowsByJob, other: RowsByJob) -> set[str]:
    """The jobs whose rows are not the same."""
    return {job for job in one.keys() | other.keys() if one.get(job) != other.get(job)}
