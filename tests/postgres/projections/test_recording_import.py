"""Import of recordings: what is added, what is skipped, and when a recording is a new incarnation."""

from datetime import UTC, datetime
from functools import partial
from typing import Final

import pytest
from psycopg.conninfo import make_conninfo

from eventlog.events import NewEvent, RecordedEvent
from eventlog.postgres.connection import Connection, connect
from eventlog.postgres.log import PostgresEventLog
from eventlog.secret_policy import SecretPolicy
from eventlog.streams import identify
from eventlog.wire.coordinator import encode_key
from projections.errors import FoldVersionDiffers, ProjectionError
from projections.fold.settings import CODE_VERSION, FoldSettings
from projections.projector import MakeProjector, Projector
from projections.recording_import import import_stream
from projections.tracked_logs import register_log
from tests.fixtures.compaction import latest_per_key
from tests.fixtures.properties.generated_jobs import generate_job
from tests.fixtures.properties.importing import ARCHIVED_AT, SETTINGS, always_copying, import_events

STREAM: Final = "__samza_coordinator_job_1"
FIRST_RUN_MS: Final = 1_749_000_000_000
SECOND_RUN_MS: Final = 1_749_500_000_000
CONFIG: Final = "select config_key, config_value, incarnation from coordinator.config order by 1"


def configs(values: dict[str, str], first_ms: int) -> list[RecordedEvent]:
    """Return events that set config keys, a second apart."""
    return [
        RecordedEvent(
            offset, first_ms + offset * 1_000, 0, encode_key("set-config", key), b'{"values":{"value":"%s"}}' % text
        )
        for offset, (key, text) in enumerate((key, value.encode()) for key, value in values.items())
    ]


OLD: Final = configs({"a": "1", "b": "2", "c": "3"}, FIRST_RUN_MS)
NEW: Final = configs({"a": "10", "d": "40", "e": "50", "f": "60"}, SECOND_RUN_MS)
OLD_ROWS: Final = [("a", "1", 1), ("b", "2", 1), ("c", "3", 1)]
NEW_ROWS: Final = [("a", "10", 2), ("d", "40", 2), ("e", "50", 2), ("f", "60", 2)]


class Interrupted(Exception):
    """The process was stopped."""


class Stop:
    """Raises when a step is reached for the ``occurrence``-th time."""

    def __init__(self, occurrence: int, wanted: str) -> None:
        self._left, self._wanted = occurrence, wanted

    def __call__(self, step: str) -> None:
        self._left -= step == self._wanted
        if self._left == 0:
            raise Interrupted


def shown(connection: Connection, query: str = CONFIG) -> list[tuple[object, ...]]:
    return connection.execute(query.encode()).fetchall()


def as_of(connection: Connection, ms: int) -> list[tuple[object, ...]]:
    at = datetime.fromtimestamp(ms / 1_000, UTC)
    query = "select config_key, config_value, incarnation from coordinator.config_as_of('job', '1', %s) order by 1"
    return connection.execute(query, (at,)).fetchall()


def test_a_longer_recording_continues_and_a_shorter_one_adds_nothing(connected: Connection) -> None:
    import_events(connected, STREAM, OLD[:2])
    longer, shorter = import_events(connected, STREAM, OLD), import_events(connected, STREAM, OLD[:1])
    assert (longer.added, longer.skipped, longer.incarnation) == (1, 2, 1)
    assert (shorter.added, shorter.skipped, shorter.incarnation) == (0, 1, 1)
    assert shown(connected) == OLD_ROWS


def test_a_compacted_recording_does_not_begin_an_incarnation(connected: Connection) -> None:
    log = generate_job(3).logs[0]
    import_events(connected, log.stream_name, log.events)
    left = latest_per_key(log.events)
    again = import_events(connected, log.stream_name, left)
    assert (again.added, again.skipped, again.incarnation) == (0, len(left), 1)


def test_a_recording_without_events_is_tracked(connected: Connection) -> None:
    imported = import_events(connected, STREAM, [])
    assert (imported.added, imported.skipped, imported.incarnation) == (0, 0, 1)
    assert shown(connected, "select next_offset, state from coordinator.log_position") == [(0, "stopped")]


def test_the_bytes_of_a_batch_are_limited(connected: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("projections.recording_import.BATCH_BYTES", 1_000)
    counts: list[int] = []
    import_events(connected, STREAM, configs({f"key{n}": "x" for n in range(250)}, 0), on_progress=counts.append)
    assert counts == [0, 21, *[20] * 11, 9]


def test_relations_show_the_old_incarnation_until_the_new_one_is_complete(database_url: str) -> None:
    with connect(database_url) as connection:
        import_events(connection, STREAM, OLD)
        with pytest.raises(Interrupted):
            import_events(connection, STREAM, NEW, 1, make_projector=partial(Projector, on_step=Stop(2, "committed")))
        assert shown(connection) == OLD_ROWS
        assert as_of(connection, SECOND_RUN_MS + 1_000_000) == OLD_ROWS
        states = "select incarnation, state, next_offset from coordinator.log_position order by 1"
        assert shown(connection, states) == [(1, "stopped", 3), (2, "replacing", 2)]
    with connect(database_url) as connection:
        completed = import_events(connection, STREAM, NEW, 1)
        assert (completed.incarnation, completed.skipped, completed.added) == (2, 2, 2)
        assert shown(connection) == NEW_ROWS
        assert shown(connection, states) == [(1, "stopped", 3), (2, "stopped", 4)]


def test_as_of_a_time_shows_the_incarnation_of_that_time(connected: Connection) -> None:
    import_events(connected, STREAM, OLD)
    import_events(connected, STREAM, NEW)
    assert as_of(connected, FIRST_RUN_MS - 1) == []
    assert as_of(connected, FIRST_RUN_MS + 1_000) == OLD_ROWS[:2]
    assert as_of(connected, SECOND_RUN_MS - 1) == OLD_ROWS
    assert as_of(connected, SECOND_RUN_MS + 2_000) == NEW_ROWS[:3]
    by_offset = "select config_key from coordinator.config_as_of_offset('job', '1', 1, null, {}) order by 1"
    assert shown(connected, by_offset.format(1)) == [("a",), ("b",)]
    assert shown(connected, by_offset.format("null")) == [("a",), ("d",)]


def test_rows_folded_with_another_key_are_refused(connected: Connection) -> None:
    other = FoldSettings(SecretPolicy(b"another key of an installation.."))
    import_events(connected, STREAM, OLD)
    message = f"The rows of {STREAM} have fold version {CODE_VERSION}-.*MASK_KEY.*import them into a new database"
    with pytest.raises(FoldVersionDiffers, match=message):
        import_stream(connected, identify(STREAM), lambda: OLD, other, lambda: ARCHIVED_AT)
    assert shown(connected) == OLD_ROWS


ANOTHER: Final = configs({"a": "1", "b": "2", "c": "3", "d": "4"}, FIRST_RUN_MS)[3]


@pytest.mark.parametrize("changed", [[*OLD, ANOTHER], [*OLD[:2], OLD[2]._replace(value=None)], NEW])
def test_a_log_in_postgres_is_never_changed(database_url: str, changed: list[RecordedEvent]) -> None:
    with connect(database_url) as connection, PostgresEventLog.create(database_url, identify(STREAM)) as log:
        log.append([NewEvent(event.key, event.value, event.timestamp) for event in OLD])
        for present in (OLD, OLD[:2], []):
            imported = import_events(connection, STREAM, present)
            assert (imported.added, imported.skipped, imported.incarnation) == (0, len(present), 1)
        with pytest.raises(ProjectionError, match=f"log append {STREAM} --from-file"):
            import_events(connection, STREAM, changed)
        assert shown(connection, "select count(*) from projection.job_log") == [(0,)]
        assert log.append([NewEvent(ANOTHER.key, ANOTHER.value)]) == range(3, 4)


def test_batches_do_not_wait_for_the_disk(database_url: str) -> None:
    seen = []
    with connect(make_conninfo(database_url, options="-c synchronous_commit=on")) as connection:

        def look(step: str) -> None:
            seen.append((step, setting(connection)))

        import_events(connection, STREAM, OLD, 2, make_projector=always_copying(look))
        steps = ("archived", "folded", "archived", "folded", "merged", "committed")
        assert seen == [(step, "off") for step in steps]
        assert setting(connection) == "on"
        failing = partial(Projector, on_step=Stop(1, "folded"))
        with pytest.raises(Interrupted):
            import_events(connection, STREAM, configs({"a": "5"}, SECOND_RUN_MS), make_projector=failing)
        assert setting(connection) == "on"


def setting(connection: Connection) -> object:
    return shown(connection, "select current_setting('synchronous_commit')")[0][0]


@pytest.mark.parametrize("occurrence", [1, 3])
def test_an_atomic_import_is_complete_or_absent(connected: Connection, occurrence: int) -> None:
    events = configs({f"key-{number:03}": str(number) for number in range(300)}, FIRST_RUN_MS)

    def added(make_projector: MakeProjector) -> int:  # eight batches are one transaction
        return import_events(connected, STREAM, events, 10, is_atomic=True, make_projector=make_projector).added

    with pytest.raises(Interrupted):
        added(always_copying(Stop(occurrence, "committed")))
    assert shown(connected, "select count(*) from eventlog.event") == [(0,)]
    assert shown(connected, "select next_offset, end_offset from projection.position") == [(0, None)]
    assert added(Projector) == 300
    assert shown(connected) == [(f"key-{number:03}", str(number), 1) for number in range(300)]


@pytest.mark.parametrize(("backend", "end"), [("kafka", None), ("recording", 2)])
def test_the_end_of_a_topic_is_unknown_after_an_import(connected: Connection, backend: str, end: int | None) -> None:
    with connected.transaction():
        log = register_log(connected, identify(STREAM), 1, backend, SETTINGS, ARCHIVED_AT)
    Projector(connected, log, SETTINGS, lambda: ARCHIVED_AT).apply(OLD[:2])
    import_events(connected, STREAM, OLD[:1])
    position = "select state, next_offset, end_offset from projection.position"
    assert shown(connected, position) == [("stopped" if end else "catching-up", 2, end)]  # nothing was added
    import_events(connected, STREAM, OLD)
    assert shown(connected, position) == [("stopped", 3, end and 3)]
