"""Validity: from when to when each thing was so, and what a relation says of a log that was recorded again."""

from typing import Final

import pytest
from psycopg.errors import InvalidTextRepresentation

from eventlog.events import NewEvent
from eventlog.postgres.connection import Connection
from projections.tracked_logs import Observation, logs_of, write_observations
from tests.builders import FIRST_TIME, checkpoint_v1, config_set, raw, recorded
from tests.fixtures.acceptance.imported_job import IMPORTED_AT, ImportedJob, Row
from tests.fixtures.properties.importing import import_events
from tests.oracle import ROWS, to_time

pytestmark = pytest.mark.slow

MINUTE: Final = 60_000
BOUNDS: Final = "from_log_offset, to_log_offset"
AT: Final = "valid_from <= %(at)s and (valid_to > %(at)s or valid_to is null)"


def config_at(job: ImportedJob, source: str, at: object) -> list[Row]:
    query = f"select {ROWS['config']} from coordinator.{source} order by {ROWS['config']}"
    return job.connection.execute(query.encode(), {"name": job.name, "at": at}).fetchall()


def respelt(event: NewEvent) -> NewEvent:
    """The same message under other key bytes."""
    return raw((event.key or b"").replace(b'"set-config",', b'"set-config" , '), event.value)


def test_spellings_of_a_key_that_are_swept_at_once_end_it(database: Connection) -> None:
    plain, odd = config_set("a", "1"), respelt(config_set("a", "2"))
    job = ImportedJob(database, "validity-swept", coordinator=[plain, odd])
    job.sweep(job.coordinator_stream, [plain, odd])
    assert job.rows("config_validity", f"{BOUNDS}, config_value") == [(0, 1, "1"), (1, 2, "2")]
    assert job.rows("event", "log_offset, operation") == [(0, "set"), (1, "set")]  # a sweep is no event


def test_a_swept_checkpoint_is_no_event(database: Connection) -> None:
    commit = checkpoint_v1("t", {"kafka.in.0": "1"})
    job = ImportedJob(database, "checkpoint-swept", coordinator=[config_set()], checkpoints=[commit])
    job.sweep(job.checkpoint_stream, [commit])
    assert job.checkpoint() == {}
    assert set(job.rows("event", "message_type, operation")) == {("set-config", "set"), ("checkpoint", "set")}


def test_a_new_incarnation_begins_with_nothing_set(database: Connection) -> None:
    job = ImportedJob(database, "reincarnated", coordinator=[config_set("a", "1"), config_set("b", "1")])
    job.import_recorded(job.coordinator_stream, recorded([config_set("b", "1"), config_set("b", "2")]))
    rows = job.rows("config_change", "incarnation, log_offset, config_key, previous_value, config_value")
    assert rows == [(1, 0, "a", None, "1"), (1, 1, "b", None, "1"), (2, 0, "b", None, "1"), (2, 1, "b", "1", "2")]


def test_checkpoints_that_are_recorded_again_pass_an_offset_once(database: Connection) -> None:
    """The recording has another last event."""
    commits = [checkpoint_v1("t", {"kafka.in.0": offset}) for offset in ("10", "20", "30", "31")]
    job = ImportedJob(database, "passed", coordinator=[config_set()], checkpoints=commits[:3])
    job.import_recorded(job.checkpoint_stream, recorded([*commits[:2], commits[3]]))
    assert job.answer("time_of_input_offset('kafka', 'in', 0, '20')", "log_offset") == [(1,)]
    with pytest.raises(InvalidTextRepresentation, match="odd"):
        job.answer("time_of_input_offset('kafka', 'in', 0, 'odd')", "log_offset")


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
        valid = config_at(job, f"config_validity where job_name = %(name)s and {AT}", at)
        assert valid == config_at(job, "config_as_of(%(name)s, '1', %(at)s)", at)


def test_what_a_truncated_log_repeats_is_shown_once(database: Connection) -> None:
    """Each log lost its event of minute 15."""
    job, settings = ImportedJob(database, "truncated"), [config_set("a", value) for value in "1123"]
    commits = [checkpoint_v1("t", {"kafka.in.0": offset}) for offset in ("100", "200", "310", "400")]
    for stream, events in ((job.coordinator_stream, settings), (job.checkpoint_stream, commits)):
        job.import_recorded(stream, recorded([*events[:2], events[3]], step=MINUTE))
        (log,) = logs_of(database, stream)
        write_observations(database, log.log_id, [Observation(3, "truncated", None, 2, 2)], IMPORTED_AT)
        job.import_recorded(stream, recorded(events, step=MINUTE))
    minutes = "incarnation, config_value, to_char(valid_from, 'MI'), to_char(valid_to, 'MI')"
    assert job.rows("config_validity", minutes) == [
        *((1, "1", "13", "15"), (1, "3", "15", "15")),
        *((2, "1", "15", "15"), (2, "2", "15", "16"), (2, "3", "16", None)),
    ]
    found = job.rows("config_deployment", "run_number, incarnation, first_log_offset, keys_changed")
    assert found == [(1, 1, 0, 1), (2, 1, 1, 0), (3, 2, 2, 1), (4, 2, 3, 1)]
    assert job.answer("time_of_input_offset('kafka', 'in', 0, '200')", "incarnation, log_offset") == [(1, 1)]
    assert job.answer("processing_rate('2023-11-14', '2023-11-15')", "records") == [(300,)]
