"""Validity: from when to when each thing was so, in a recorded job and in built cases."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

import pytest

from eventlog.events import NewEvent
from eventlog.postgres.connection import Connection
from projections.fold.rows import Swept
from projections.projector import Projector
from projections.tracked_logs import logs_of
from tests.acceptance.imported_job import IMPORTED_AT, SETTINGS, ImportedJob, Row
from tests.acceptance.odd_jobs import import_recording_a
from tests.acceptance.synthetic_history import JOB, buffers, load_history, plan, scans
from tests.builders import (
    FIRST_TIME,
    config_deleted,
    config_set,
    raw,
    recorded,
    task_container,
    task_partition,
    tombstone,
)
from tests.oracle import ROWS, to_time
from tests.properties.importing import import_events

pytestmark = pytest.mark.slow

MINUTE: Final = 60_000
RELATIONS: Final = ("config", "task_container", "task_partition")
BOUNDS: Final = "from_log_offset, to_log_offset"
AT: Final = "valid_from <= %(at)s and (valid_to > %(at)s or valid_to is null)"
EVERY: Final = 12
"""A sample of the distinct times of the log is compared."""

validities = pytest.mark.parametrize("relation", RELATIONS)


@pytest.fixture(scope="module")
def recording_a(database: Connection) -> ImportedJob:
    return import_recording_a(database)


def moments(job: ImportedJob) -> Iterator[datetime]:
    """Some times of the job's coordinator stream, the first and a moment before it among them."""
    times = sorted({at for (at,) in job.rows("event", "record_time", "stream_kind = 'coordinator'")})
    yield times[0] - timedelta(milliseconds=1)
    yield from times[::EVERY]
    yield times[-1]


def selected(job: ImportedJob, relation: str, source: str, **values: object) -> list[Row]:
    query = f"select {ROWS[relation]} from {source} order by {ROWS[relation]}"
    return job.connection.execute(query.encode(), {"name": job.name, **values}).fetchall()


@validities
def test_at_each_moment_of_a_recorded_job_they_are_the_relation_as_of_it(
    recording_a: ImportedJob, relation: str
) -> None:
    compared = 0
    for at in moments(recording_a):
        valid = f"coordinator.{relation}_validity where job_name = %(name)s and {AT}"
        shown = selected(recording_a, relation, valid, at=at)
        assert shown == selected(recording_a, relation, f"coordinator.{relation}_as_of(%(name)s, '1', %(at)s)", at=at)
        compared += len(shown)
    assert compared > 100


@validities
def test_ranges_without_an_end_are_the_current_state(recording_a: ImportedJob, relation: str) -> None:
    now = selected(recording_a, relation, f"coordinator.{relation} where job_name = %(name)s")
    valid = f"coordinator.{relation}_validity where job_name = %(name)s and valid_to is null"
    assert selected(recording_a, relation, valid) == now


def validity(job: ImportedJob, relation: str, columns: str) -> list[Row]:
    """Bounds as offsets, then these columns; in the order of the offsets."""
    return job.rows(f"{relation}_validity", f"{BOUNDS}, {columns}")


def respelt(event: NewEvent) -> NewEvent:
    """The same message under other key bytes."""
    return raw((event.key or b"").replace(b'"set-config",', b'"set-config" , '), event.value)


def test_the_same_value_continues_a_range_and_a_delete_ends_it(database: Connection) -> None:
    said = [config_set("a", "1"), config_set("a", "1"), config_set("a", "2"), config_deleted("a"), config_set("a", "2")]
    job = ImportedJob(database, "validity-again", coordinator=said)
    assert validity(job, "config", "config_value") == [(0, 2, "1"), (2, 3, "2"), (4, None, "2")]


def test_spellings_of_a_key_are_one(database: Connection) -> None:
    plain, odd = config_set("a", "1"), respelt(config_set("a", "2"))
    said = [plain, odd, tombstone(odd), odd, tombstone(plain), tombstone(odd)]
    job = ImportedJob(database, "validity-spelt", coordinator=said)
    assert validity(job, "config", "config_value") == [(0, 1, "1"), (1, 2, "2"), (2, 3, "1"), (3, 5, "2")]


def test_spellings_of_a_key_that_are_swept_at_once_end_it(database: Connection) -> None:
    plain, odd = config_set("a", "1"), respelt(config_set("a", "2"))
    job = ImportedJob(database, "validity-swept", coordinator=[plain, odd])
    projector = Projector(database, logs_of(database, job.coordinator_stream)[0], SETTINGS, lambda: IMPORTED_AT)
    projector.pass_to(4)
    projector.apply([], swept=[Swept(3, key) for key in (plain.key, odd.key) if key is not None])
    assert validity(job, "config", "config_value") == [(0, 1, "1"), (1, 3, "2")]


def test_a_secret_is_a_fingerprint(database: Connection) -> None:
    said = [config_set("db.password", value) for value in ("hunter2", "hunter2", "hunter3")]
    one, other = (SETTINGS.secrets.fingerprint(value) for value in ("hunter2", "hunter3"))
    job = ImportedJob(database, "validity-secret", coordinator=said)
    assert validity(job, "config", "config_value, is_sensitive") == [(0, 2, one, True), (2, None, other, True)]


def test_a_task_that_moves_and_comes_back(database: Connection) -> None:
    said = [task_container("t", container) for container in ("0", "1", "1", "0")]
    job = ImportedJob(database, "validity-moves", coordinator=[*said, tombstone(said[0])])
    assert validity(job, "task_container", "container_id") == [(0, 1, "0"), (1, 3, "1"), (3, 4, "0")]


def test_a_task_stays_while_others_of_its_partition_come_and_go(database: Connection) -> None:
    lists = [("t", "u"), ("t",), ("v", "t"), ("v",), ("t", "v")]
    said = [task_partition("kafka.in.0", *names) for names in lists]
    job = ImportedJob(database, "validity-lists", coordinator=[*said, tombstone(said[0])])
    assert validity(job, "task_partition", "task_name") == [(0, 1, "u"), (0, 3, "t"), (2, 5, "v"), (4, 5, "t")]


def test_times_are_those_of_the_log_which_never_run_backwards(database: Connection) -> None:
    times = (5 * MINUTE, 2 * MINUTE, 9 * MINUTE)
    said = [config_set("a", str(at), at=FIRST_TIME + at) for at in times]
    job = ImportedJob(database, "validity-times", coordinator=said)
    first, last = (to_time(FIRST_TIME + at * MINUTE) for at in (5, 9))
    shown = job.rows("config_validity", "from_log_offset, valid_from, valid_to")
    assert shown == [(0, first, first), (1, first, last), (2, last, None)]


def test_another_incarnation_ends_what_was_so(database: Connection) -> None:
    job = ImportedJob(database, "validity-made-again")
    stream = job.coordinator_stream
    import_events(
        database, stream, recorded([config_set("a", "1"), config_set("b", "1"), config_set("b", "2")], step=MINUTE)
    )
    import_events(database, stream, recorded([config_set("a", "9")], at=FIRST_TIME + 5 * MINUTE))
    began = to_time(FIRST_TIME + 5 * MINUTE)
    columns = f"incarnation, config_key, config_value, {BOUNDS}, valid_to"
    assert job.rows("config_validity", columns) == [
        (1, "a", "1", 0, None, began),
        (1, "b", "1", 1, 2, to_time(FIRST_TIME + 2 * MINUTE)),
        (1, "b", "2", 2, None, began),
        (2, "a", "9", 0, None, None),
    ]
    assert job.rows("config_validity", "valid_from", "config_value = '9'") == [(began,)]
    for minutes in (0, 1, 2, 4, 5, 6):
        at = to_time(FIRST_TIME + minutes * MINUTE)
        valid = selected(job, "config", f"coordinator.config_validity where job_name = %(name)s and {AT}", at=at)
        assert valid == selected(job, "config", "coordinator.config_as_of(%(name)s, '1', %(at)s)", at=at)


def test_a_job_costs_by_its_keys_and_not_by_its_commits(database: Connection) -> None:
    history = load_history(database, 30_000)
    ((key,),) = database.execute("select min(config_key) from coordinator.config where job_name = %s", JOB[:1])
    whole = "select * from coordinator.{}_validity where job_name = %s and job_id = %s"
    for relation, filters in (
        ("config", f"config_key = '{key}'"),
        ("task_container", "task_name = 'Partition 1'"),
        ("task_partition", "partition_id = 1"),
    ):
        of_job = plan(history.connection, whole.format(relation), *JOB)
        of_key = plan(history.connection, f"{whole.format(relation)} and {filters}", *JOB)
        print(f"\n{relation}_validity: {buffers(of_job)} buffers for the job, {buffers(of_key)} for {filters}")
        assert {
            node["Relation Name"] for node in scans(of_job) if node["Relation Name"].startswith("checkpoint")
        } == set()
        assert buffers(of_key) < max(buffers(of_job) / 5, 500)
