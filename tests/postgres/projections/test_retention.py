"""Which events a retention keeps, how it copies large ones, and that it, rebuilds and imports wait for each other."""

import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from threading import Event
from typing import Final

import pytest

from eventlog.postgres.connection import Connection, connect
from eventlog.postgres.table_partitions import ArchiveReplacement
from eventlog.startpoint import StartpointOldest
from projections.rebuild import rebuild_log
from projections.retention import retain, select_retained
from projections.tracked_logs import Observation, logs_of, write_observations
from projections.verify import verify_log
from tests.builders import checkpoint_v1, config_deleted, config_set, fan_out, recorded
from tests.fixtures.acceptance.imported_job import ImportedJob
from tests.fixtures.properties.importing import SETTINGS, import_events
from tests.fixtures.waiting import PATIENCE, wait_until

STREAM: Final = "__samza_coordinator_orders_1"
FIRST_MS: Final = 1_700_000_000_000
HORIZON: Final = datetime.fromtimestamp(FIRST_MS / 1_000 + 10, UTC)
CONFIG: Final = "select config_key, config_value from coordinator.config_as_of('orders', '1', %s) order by 1"


def test_the_event_before_a_sweep_does_not_stay_set(connected: Connection) -> None:
    values = [("a", "1"), ("b", "1"), ("c", "1"), ("b", None), ("d", "0"), ("d", "1")]
    events = recorded(
        (config_deleted(key) if value is None else config_set(key, value) for key, value in values), at=FIRST_MS
    )
    import_events(connected, STREAM, events)
    (log,) = logs_of(connected, STREAM)
    write_observations(connected, log.log_id, [Observation(1, "swept", events[0].key)], HORIZON)
    rebuild_log(connected, log, SETTINGS)
    expected = [("c", "1"), ("d", "1")]
    assert connected.execute(CONFIG, (HORIZON,)).fetchall() == expected
    assert retain(connected, logs_of(connected, STREAM), SETTINGS, HORIZON).logs[0].base == (0, 1, 2, 3, 5)
    assert connected.execute(CONFIG, (HORIZON,)).fetchall() == expected
    assert verify_log(connected, logs_of(connected, STREAM)[0], SETTINGS).is_equal


def test_only_what_advances_beyond_the_horizon_shows_that_a_startpoint_was_ignored(connected: Connection) -> None:
    """The checkpoint before the fan-out is gone; that of partition 0 advanced before it only."""
    handed = fan_out("t", dict.fromkeys(("kafka.in.0", "kafka.in.1"), StartpointOldest(FIRST_MS)))
    offsets = [{"kafka.in.0": "100" if second else "50", "kafka.in.1": str(second)} for second in range(20)]
    job = ImportedJob(connected, "quiet")
    job.import_recorded(job.coordinator_stream, recorded([handed, config_set()], at=FIRST_MS + 5_000, step=5_000))
    commits = recorded([checkpoint_v1("t", each) for each in offsets], at=FIRST_MS, step=1_000)
    job.import_recorded(job.checkpoint_stream, commits)
    assert job.rows("anomaly", "anomaly, subject, log_offset") == [("startpoint_ignored", "kafka.in.1", 7)]
    logs = [log for name in (job.coordinator_stream, job.checkpoint_stream) for log in logs_of(connected, name)]
    retain(connected, logs, job.settings, HORIZON)
    assert job.rows("anomaly", "anomaly, subject, log_offset") == [("startpoint_ignored", "kafka.in.1", 12)]


def test_a_large_page_is_copied_over_a_file(connected: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eventlog.postgres.table_partitions._PAGE_BYTES", 1 << 20)
    names = [*["superseded"] * 3, *(f"key {number}" for number in range(64))]
    import_events(connected, STREAM, recorded((config_set(name, "v" * 400_000) for name in names), at=FIRST_MS))
    with connected.transaction(force_rollback=True):
        (retained,) = select_retained(connected, logs_of(connected, STREAM), HORIZON)
        replacement = ArchiveReplacement(connected, retained.partitions)
        tracemalloc.start()
        replacement.copy()
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 8 << 20


EVENTS: Final = recorded([config_set(f"key-{n % 3}", str(n)) for n in range(30)])
LATER: Final = datetime(2100, 1, 1, tzinfo=UTC)
WAITS: Final = "select exists (select from pg_locks where not granted)"


@pytest.fixture
def imported(database_url: str) -> Iterator[Connection]:
    with connect(database_url) as connection:
        import_events(connection, STREAM, EVENTS[:20])
        yield connection


def wait_for_a_lock(connection: Connection) -> None:
    wait_until(lambda: connection.execute(WAITS).fetchone() == (True,), what="a session that waits for a lock")


def is_verified(connection: Connection) -> bool:
    return verify_log(connection, logs_of(connection, STREAM)[0], SETTINGS).is_equal


def run_both(url: str, first: Callable[..., object], second: Callable[..., object]) -> None:
    """Run two works over connections of their own; the second starts when the first calls the function that it gets.

    The first goes on when the second waits for a lock.
    """
    reached, released = Event(), Event()

    def pause() -> None:
        reached.set()
        assert released.wait(PATIENCE)

    def work(do: Callable[..., object], *arguments: object) -> None:
        with connect(url) as connection:
            do(connection, *arguments)

    with connect(url) as observer, ThreadPoolExecutor(2) as pool:
        both = [pool.submit(work, first, pause)]
        assert reached.wait(PATIENCE)
        both.append(pool.submit(work, second))
        try:
            wait_for_a_lock(observer)
        finally:
            released.set()
        for each in both:
            each.result()


def cut(connection: Connection, pause: Callable[[], None] = lambda: None) -> None:
    logs = logs_of(connection, STREAM)
    assert retain(connection, logs, SETTINGS, LATER, check=lambda _, __: pause()).detached_tables


def rebuild(connection: Connection, pause: Callable[[], None] = lambda: None) -> None:
    rebuild_log(connection, logs_of(connection, STREAM)[0], SETTINGS, on_progress=lambda _: pause())


@pytest.mark.slow
@pytest.mark.parametrize(("first", "second"), [(rebuild, cut), (cut, rebuild)])
def test_a_retention_and_a_rebuild_wait_for_each_other(
    database_url: str, imported: Connection, first: Callable[..., object], second: Callable[..., object]
) -> None:
    run_both(database_url, first, second)
    assert is_verified(imported)


@pytest.mark.slow
def test_a_verification_waits_for_a_retention(
    database_url: str, imported: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It compared the rows of before with the archive of after."""
    swap, verified = ArchiveReplacement.swap, []

    def cut_slowly(connection: Connection, pause: Callable[[], None]) -> None:
        def swap_slowly(replacement: ArchiveReplacement, number: int) -> tuple[str, ...]:
            tables = swap(replacement, number)
            pause()
            return tables

        monkeypatch.setattr(ArchiveReplacement, "swap", swap_slowly)
        cut(connection)

    run_both(database_url, cut_slowly, lambda connection: verified.append(is_verified(connection)))
    assert verified == [True]


@pytest.mark.slow
@pytest.mark.parametrize("change", [cut, rebuild])
def test_an_import_continues_after_a_change_between_two_batches(
    database_url: str, imported: Connection, change: Callable[..., object]
) -> None:
    progress: list[int] = []

    def show(added: int) -> None:
        progress.append(added)
        if len(progress) == 2:
            with connect(database_url) as other:
                change(other)

    assert import_events(imported, STREAM, EVENTS, 3, on_progress=show).added == 10
    assert is_verified(imported)
