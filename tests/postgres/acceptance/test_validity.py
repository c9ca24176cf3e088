"""Validity: from when to when each thing was so, in a recorded job and in built cases."""

from typing import Final

import pytest

from eventlog.events import NewEvent
from eventlog.postgres.connection import Connection
from projections.fold.rows import Swept
from projections.projector import Projector
from projections.tracked_logs import logs_of
from tests.builders import FIRST_TIME, config_set, raw, recorded
from tests.fixtures.acceptance.imported_job import IMPORTED_AT, SETTINGS, ImportedJob, Row
from tests.fixtures.properties.importing import import_events
from tests.oracle import ROWS, to_time

pytestmark = pytest.mark.slow

MINUTE: Final = 60_000
RELATIONS: Final = ("config", "container_host", "task_container", "task_partition")
BOUNDS: Final = "from_log_offset, to_log_offset"
AT: Final = "valid_from <= %(at)s and (valid_to > %(at)s or valid_to is null)"


def selected(job: ImportedJob, relation: str, source: str, **values: object) -> list[Row]:
    query = f"select {ROWS[relation]} from {source} order by {ROWS[relation]}"
    return job.connection.execute(query.encode(), {"name": job.name, **values}).fetchall()


def validity(job: ImportedJob, relation: str, columns: str) -> list[Row]:
    """Bounds as offsets, then these columns; in the order of the offsets."""
    return job.rows(f"{relation}_validity", f"{BOUNDS}, {columns}")


def respelt(event: NewEvent) -> NewEvent:
    """The same message under other key bytes."""
    return raw((event.key or b"").replace(b'"set-config",', b'"set-config" , '), event.value)


def test_spellings_of_a_key_that_are_swept_at_once_end_it(database: Connection) -> None:
    plain, odd = config_set("a", "1"), respelt(config_set("a", "2"))
    job = ImportedJob(database, "validity-swept", coordinator=[plain, odd])
    projector = Projector(database, logs_of(database, job.coordinator_stream)[0], SETTINGS, lambda: IMPORTED_AT)
    projector.pass_to(4)
    projector.apply([], swept=[Swept(3, key) for key in (plain.key, odd.key) if key is not None])
    assert validity(job, "config", "config_value") == [(0, 1, "1"), (1, 3, "2")]


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
