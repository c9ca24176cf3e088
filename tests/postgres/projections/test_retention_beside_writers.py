"""A retention beside rebuilds and imports: each waits for the other, and none fails."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from threading import Event
from typing import Final

import pytest

from eventlog.postgres.connection import Connection, connect
from eventlog.postgres.table_partitions import ArchiveReplacement
from projections.rebuild import rebuild_log
from projections.retention import retain
from projections.tracked_logs import logs_of
from projections.verify import verify_log
from tests.builders import config_set, recorded
from tests.fixtures.properties.importing import SETTINGS, import_events
from tests.fixtures.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.slow

STREAM: Final = "__samza_coordinator_orders_1"
EVENTS: Final = recorded([config_set(f"key-{n % 3}", str(n)) for n in range(30)])
LATER: Final = datetime(2100, 1, 1, tzinfo=UTC)
WAITS: Final = "select exists (select from pg_locks where not granted)"


@pytest.fixture
def connected(database_url: str) -> Iterator[Connection]:
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


@pytest.mark.parametrize(("first", "second"), [(rebuild, cut), (cut, rebuild)])
def test_a_retention_and_a_rebuild_wait_for_each_other(
    database_url: str, connected: Connection, first: Callable[..., object], second: Callable[..., object]
) -> None:
    run_both(database_url, first, second)
    assert is_verified(connected)


def test_a_verification_waits_for_a_retention(
    database_url: str, connected: Connection, monkeypatch: pytest.MonkeyPatch
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


@pytest.mark.parametrize("change", [cut, rebuild])
def test_an_import_continues_after_a_change_between_two_batches(
    database_url: str, connected: Connection, change: Callable[..., object]
) -> None:
    progress: list[int] = []

    def show(added: int) -> None:
        progress.append(added)
        if len(progress) == 2:
            with connect(database_url) as other:
                change(other)

    assert import_events(connected, STREAM, EVENTS, 3, on_progress=show).added == 10
    assert is_verified(connected)
