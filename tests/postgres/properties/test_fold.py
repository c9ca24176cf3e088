"""Properties of the fold, each held by every one of many generated jobs on real Postgres.

All jobs stand in one database for each way to import them, and the databases are compared as wholes.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Final

import pytest

from coordstream.postgres import EmbeddedPostgres
from eventlog.events import RecordedEvent
from eventlog.postgres.connection import Connection, connect
from projections.relations import LOG_TABLES
from tests.fixtures.acceptance.torture import scaled
from tests.fixtures.compaction import latest_per_key
from tests.fixtures.compiled_parts import with_and_without
from tests.fixtures.postgres import CloneSeries
from tests.fixtures.properties.generated_jobs import ARCHIVED_MS, GeneratedJob, GeneratedLog, generate_job
from tests.fixtures.properties.importing import (
    CURRENT,
    HISTORIES,
    RowsByJob,
    differing,
    grouped,
    import_events,
    import_log,
    rows_by_job,
    with_events,
)
from tests.oracle import ROWS, Row, log_times, to_time
from tests.oracle_history import CHANGE_COLUMNS, HISTORY_ROWS, config_changes, history_rows
from tests.oracle_job import job_counts, job_relations

pytestmark = [pytest.mark.slow, pytest.mark.torture]
way = with_and_without(autouse=False)

SUSPECT_ALL: Final = """
insert into projection.suspect_checkpoint (log_offset, log_id, key_id, may_be_lower, may_be_unread)
select log_offset, log_id, key_id, true, true from projection.checkpoint_event
"""
JOBS: Final = scaled(60, 300)
LEAST_LOGS: Final = scaled(95, 500)
AS_OF: Final = {relation: columns for relation, columns in ROWS.items() if relation != "other_message"}
TABLES: Final = tuple(table for table in LOG_TABLES if table not in ("gap", "log_time"))

NewConnection = Callable[[], Connection]


@dataclass(frozen=True)
class Whole:
    """All jobs, each log imported in one batch."""

    jobs: list[GeneratedJob]
    connection: Connection


@pytest.fixture(scope="module")
def new_connection(postgres_server: EmbeddedPostgres, template_database: str) -> Iterator[NewConnection]:
    """A maker of connections, each to a migrated database of its own."""
    with ExitStack() as stack:

        def new() -> Connection:
            url = stack.enter_context(CloneSeries(postgres_server, template_database)).next_url()
            return stack.enter_context(connect(url))

        yield new


@pytest.fixture(scope="module")
def whole(new_connection: NewConnection) -> Whole:
    jobs = [generate_job(number) for number in range(JOBS)]
    connection = new_connection()
    for log in logs_of(jobs):
        import_log(connection, log)
    connection.execute("analyze")
    return Whole(jobs, connection)


def logs_of(jobs: list[GeneratedJob]) -> list[GeneratedLog]:
    return [log for job in jobs for log in job.logs]


def report(what: str, jobs: list[GeneratedJob], failing: dict[str, set[str]]) -> None:
    """Say how many logs held the property; fail with the jobs (the seeds) that did not."""
    failed = {job for names in failing.values() for job in names}
    logs = sum(len(job.logs) for job in jobs)
    held = sum(len(job.logs) for job in jobs if job.name not in failed)
    print(f"\n{what}: held by {held} of {logs} generated logs")
    assert logs >= LEAST_LOGS
    first = {relation: sorted(names)[:5] for relation, names in failing.items() if names}
    assert not first, f"{what}: differs in {first}"


def compare(one: Connection, other: Connection, relations: tuple[str, ...]) -> dict[str, set[str]]:
    return {name: differing(rows_by_job(one, name), rows_by_job(other, name)) for name in relations}


def compare_tables(one: Connection, other: Connection) -> dict[str, set[str]]:
    def rows(connection: Connection, table: str) -> RowsByJob:
        return grouped(
            connection,
            "select regexp_replace(l.stream_name, '^.*_(job-[0-9]+)_1$', '\\1'), t::text"  # a time may be infinite
            f" from projection.{table} t join eventlog.log l using (log_id)",
        )

    return {table: differing(rows(one, table), rows(other, table)) for table in TABLES}


def test_relations_equal_the_oracle(whole: Whole) -> None:
    expected = {job.name: job_relations(job.coordinator_events, job.checkpoint_events) for job in whole.jobs}
    failing = {}
    for relation, columns in ROWS.items():
        query = f"select job_name, {columns}, log_offset from coordinator.{relation}"
        shown = {job: [row[1:] for row in rows] for job, rows in grouped(whole.connection, query).items()}
        plain = {job: rows for job, relations in expected.items() if (rows := relations[relation])}
        failing[relation] = differing(sorted_rows(shown), sorted_rows(plain))
        assert len(shown) > JOBS / 10, f"{relation} is hardly filled: {len(shown)} jobs"
    query = "select job_name, config_count, task_count, container_count from coordinator.job"
    counts = {job: [row[1:] for row in rows] for job, rows in grouped(whole.connection, query).items()}
    plain_counts = {job.name: [job_counts(job.coordinator_events, job.checkpoint_events)] for job in whole.jobs}
    failing["job"] = differing(counts, plain_counts)
    report("relations = plain fold", whole.jobs, failing)


def test_histories_show_each_event(whole: Whole) -> None:
    expected: dict[str, dict[str, list[Row]]] = {
        job.name: history_rows(job.coordinator_events) | {"config_change": config_changes(job.coordinator_events)}
        for job in whole.jobs
    }
    failing = {}
    for relation, columns in (HISTORY_ROWS | {"config_change": CHANGE_COLUMNS}).items():
        query = f"select job_name, {columns}, log_offset from coordinator.{relation}"
        shown = {job: [row[1:] for row in rows] for job, rows in grouped(whole.connection, query).items()}
        plain = {job: rows for job, histories in expected.items() if (rows := histories[relation])}
        failing[relation] = differing(sorted_rows(shown), sorted_rows(plain))
        assert len(shown) > JOBS / 3, f"{relation} is hardly filled: {len(shown)} jobs"
    report("histories = plain reading", whole.jobs, failing)


def test_an_event_shows_its_size_and_the_time_of_its_log(whole: Whole) -> None:
    expected = {
        job.name: sorted(
            (log.stream_name, event.offset, None if event.value is None else len(event.value), to_time(time))
            for log in job.logs
            for event, time in zip(log.events, log_times(log.events, ARCHIVED_MS), strict=True)
        )
        for job in whole.jobs
    }
    query = (
        "select job_name, l.stream_name, e.log_offset, e.value_bytes, e.log_time from coordinator.event e"
        " join projection.job_log l using (job_name, job_id, stream_kind, incarnation)"
    )
    shown = {job: sorted(row[1:] for row in rows) for job, rows in grouped(whole.connection, query).items()}
    assert shown == expected
    late = "select count(*) from coordinator.event where log_time is distinct from record_time"
    assert whole.connection.execute(late.encode()).fetchall() > [(JOBS,)]


Cut = tuple[str, list[RecordedEvent], list[RecordedEvent] | None]
"""SQL of an offset and its kind of stream, or of a time and ''; and what both logs hold by then (None: no topic)."""


def test_as_of_an_offset_is_the_plain_fold_of_that_prefix(whole: Whole) -> None:
    rng = random.Random(7)
    cuts = {job.name: random_cut(job, rng) for job in whole.jobs}
    differs = differing_as_of(whole, "as_of_offset(j.job_name, j.job_id, c.at, c.kind)", cuts)
    report("as of an offset = plain fold of the prefix", whole.jobs, differs)


def test_as_of_a_time_is_the_plain_fold_of_what_was_there(whole: Whole) -> None:
    rng = random.Random(8)
    cuts = {job.name: random_time(job, rng) for job in whole.jobs}
    differs = differing_as_of(whole, "as_of(j.job_name, j.job_id, c.at)", cuts)
    report("as of a time = plain fold of what was there", whole.jobs, differs)


def differing_as_of(whole: Whole, call: str, cuts: Mapping[str, Cut]) -> dict[str, set[str]]:
    """The jobs whose rows differ, by relation."""
    failing: dict[str, set[str]] = {}
    listed = ", ".join(f"('{name}', {values})" for name, (values, _, _) in cuts.items())
    for relation, columns in AS_OF.items():
        query = (
            f"select c.name, {', '.join('r.' + name for name in columns.split(', '))}, r.log_offset"
            f" from (values {listed}) c(name, at, kind)"
            " join coordinator.job j on replace(j.job_name, '_', '-') = c.name"
            f" cross join lateral coordinator.{relation}_{call} r"
        )
        shown = {job: [row[1:] for row in rows] for job, rows in grouped(whole.connection, query).items()}
        plain = {
            name: rows
            for name, (_, coordinator, checkpoint) in cuts.items()
            if (rows := job_relations(coordinator, checkpoint)[relation])
        }
        failing[relation] = differing(sorted_rows(shown), sorted_rows(plain))
    return failing


def test_compaction_changes_no_current_relation(whole: Whole, new_connection: NewConnection) -> None:
    rng = random.Random(1)
    connection = new_connection()
    compacted = [with_events(job, lambda log: compact(log, rng)) for job in whole.jobs]
    for log in logs_of(compacted):
        import_log(connection, log)
    removed = sum(len(log.events) for log in logs_of(whole.jobs)) - sum(len(log.events) for log in logs_of(compacted))
    assert removed > 3 * JOBS
    report("fold(all) = fold(compacted)", whole.jobs, compare(whole.connection, connection, CURRENT))


@pytest.mark.usefixtures("way")
def test_any_split_into_batches_gives_the_same_tables(whole: Whole, new_connection: NewConnection) -> None:
    rng = random.Random(2)
    connection = new_connection()
    for log in logs_of(whole.jobs):
        import_log(connection, log, rng.choice([1, 3, 7, 7, 20, 20, 33]))
    failing = compare(whole.connection, connection, (*CURRENT, *HISTORIES)) | compare_tables(
        whole.connection, connection
    )
    report("any split into batches", whole.jobs, failing)


@pytest.mark.usefixtures("way")
def test_events_delivered_again_change_nothing(whole: Whole, new_connection: NewConnection) -> None:
    rng = random.Random(3)
    connection = new_connection()
    for log in logs_of(whole.jobs):
        first = rng.randrange(len(log.events) + 1)
        import_events(connection, log.stream_name, log.events[:first])
        overlapping = import_log(connection, log, 25)
        assert (overlapping.skipped, overlapping.added) == (first, len(log.events) - first)
        again = import_log(connection, log)
        assert (again.skipped, again.added, again.incarnation) == (len(log.events), 0, 1)
    report("events delivered again", whole.jobs, compare_tables(whole.connection, connection))


def compact(log: GeneratedLog, rng: random.Random) -> list[RecordedEvent]:
    """What a cleaner leaves that has come to a random point; the unreadable events are set aside."""
    events = log.readable()
    upto = rng.choice([None, rng.randint(log.events[0].offset, log.events[-1].offset + 1)])
    return latest_per_key(events, keep_tombstones=rng.random() < 0.5, upto=upto)


def random_cut(job: GeneratedJob, rng: random.Random) -> Cut:
    """An offset on a log of the job."""
    log = rng.choice(job.logs)
    at = rng.randrange(len(log.events))
    time = log_times(log.events, ARCHIVED_MS)[at]
    prefixes = {}
    for each in job.logs:
        times = log_times(each.events, ARCHIVED_MS)
        prefixes[each.stream_name] = log.events[: at + 1] if each is log else each.events[: below(times, time)]
    kind = "coordinator" if log is job.coordinator else "checkpoint"
    coordinator = prefixes[job.coordinator.stream_name] if job.coordinator else []
    checkpoint = prefixes[job.checkpoint.stream_name] if job.checkpoint else None
    return f"{log.events[at].offset}::bigint, '{kind}'", coordinator, checkpoint or None


def random_time(job: GeneratedJob, rng: random.Random) -> Cut:
    """A time at, between or around the events of the job."""
    times = sorted(time for log in job.logs for time in log_times(log.events, ARCHIVED_MS))
    ms = rng.choice([rng.choice(times), rng.randint(times[0] - 1_000, times[-1] + 1_000)])

    def held(events: list[RecordedEvent]) -> list[RecordedEvent]:
        return events[: below(log_times(events, ARCHIVED_MS), ms)]

    return f"to_timestamp({ms} / 1000.0), ''", held(job.coordinator_events), held(job.checkpoint_events or []) or None


def below(times: list[int], time: int) -> int:
    return sum(one <= time for one in times)


def sorted_rows(by_job: RowsByJob) -> RowsByJob:
    return {job: sorted(rows, key=repr) for job, rows in by_job.items()}


@pytest.mark.parametrize("kind", ["checkpoint_moved_back", "unread_checkpoint", "state_behind_inputs"])
def test_anomalies_are_among_the_suspects(whole: Whole, kind: str) -> None:
    query = f"select job_name, anomaly, subject, detail, stream_kind, log_offset from projection.anomaly_{kind}"
    with whole.connection.transaction(force_rollback=True):
        of_suspects = grouped(whole.connection, query)
        whole.connection.execute("delete from projection.suspect_checkpoint")
        whole.connection.execute(SUSPECT_ALL)
        of_all = grouped(whole.connection, query)
    assert any(of_suspects.values())
    report("suspects = all", whole.jobs, {kind: differing(of_suspects, of_all)})
