"""Parallel imports: the results, and how an import ends on an error, a killed worker or an interrupt."""

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from multiprocessing import active_children
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from eventlog.errors import ConfigError
from eventlog.postgres.connection import Connection, connect
from eventlog.secret_policy import SecretPolicy
from eventlog.streams import StreamIdentity
from projections.errors import FoldVersionDiffers, ProjectionError, StreamBusy
from projections.fold.settings import FoldSettings
from projections.log_result import LogResult
from projections.parallel_import import ImportJob, WorkerTask, import_streams
from projections.stream_lock import stream_lock
from tests.fixtures.properties.importing import ARCHIVED_AT, CURRENT, HISTORIES, SETTINGS, import_events, rows_by_job
from tests.fixtures.waiting import wait_until
from tests.postgres.projections.streams_at_once import jobs_of, refused_events

pytestmark = pytest.mark.slow

JOBS: Final = jobs_of(1, 2)
WAITING: Final = """
select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()
"""


def import_at_once(url: str, jobs: Sequence[ImportJob] = JOBS, processes: int = 2, **options: Any) -> list[LogResult]:
    return import_streams(url, jobs, SETTINGS, processes, batch_events=40, **options)


def shown(connection: Connection) -> dict[str, dict[str, list[tuple[Any, ...]]]]:
    return {relation: rows_by_job(connection, relation) for relation in (*CURRENT, *HISTORIES)}


def all_added(imported: Sequence[LogResult]) -> bool:
    return [(done.stream, done.added + done.skipped) for done in imported] == [(job.stream, job.events) for job in JOBS]


@contextmanager
def blocked_archive(url: str) -> Iterator[Connection]:
    """Block every batch during the block."""
    with psycopg.connect(url) as blocker, connect(url) as watcher:
        blocker.execute("lock table eventlog.event in share mode")
        yield watcher


def test_a_parallel_import_gives_the_same_rows_as_one_after_the_other(clone_database: Callable[[], str]) -> None:
    with connect(clone_database()) as connection:
        in_turn = [import_events(connection, job.stream.stream_name, list(job.read_events()), 40) for job in JOBS]
        expected = shown(connection)
    url = clone_database()
    counts = dict.fromkeys((job.stream for job in JOBS), 0)

    def on_progress(stream: StreamIdentity, events: int) -> None:
        counts[stream] += events

    assert import_at_once(url, clock=at_archiving, on_progress=on_progress) == in_turn
    assert counts == {job.stream: job.events for job in JOBS}
    again = import_at_once(url, processes=1, clock=at_archiving)
    assert [(done.added, done.skipped) for done in again] == [(0, job.events) for job in JOBS]
    with connect(url) as connection:
        assert shown(connection) == expected
    assert active_children() == []


def at_archiving() -> Any:
    return ARCHIVED_AT


def test_the_largest_streams_come_first_and_results_keep_the_order(database_url: str) -> None:
    begun: list[StreamIdentity] = []
    jobs = [replace(job, events=number) for number, job in enumerate(JOBS)]
    imported = import_at_once(database_url, jobs, 1, on_progress=lambda stream, _: begun.append(stream))
    assert list(dict.fromkeys(begun)) == [job.stream for job in reversed(jobs)]
    assert all_added(imported)


@pytest.mark.skipif(sys.platform != "linux", reason="what other users see of a process is read from Linux's /proc")
def test_the_password_is_not_visible_to_other_users_of_the_system(database_url: str) -> None:
    password = conninfo_to_dict(database_url)["password"]
    seen: list[bytes] = []

    def look(_stream: StreamIdentity, _events: int) -> None:
        folders = [Path("/proc", str(child.pid)) for child in active_children()]
        with suppress(OSError):  # one that is done has ended since
            seen.extend((folder / name).read_bytes() for folder in folders for name in ("cmdline", "environ"))

    import_at_once(database_url, on_progress=look)
    assert any(b"multiprocessing" in text for text in seen)
    assert not any(str(password).encode() in text for text in seen)


def test_an_error_of_a_worker_is_raised_with_its_type(database_url: str, empty_database_url: str) -> None:
    with connect(database_url) as other, stream_lock(other, JOBS[3].stream.stream_name):
        with pytest.raises(StreamBusy) as busy:
            import_at_once(database_url, processes=1)
        assert busy.value.stream_name == JOBS[3].stream.stream_name
    import_at_once(database_url, processes=1)
    with pytest.raises(FoldVersionDiffers):
        import_streams(database_url, JOBS, FoldSettings(SecretPolicy(b"another")), 1)
    with pytest.raises(ConfigError) as refused:
        import_at_once(database_url, [replace(JOBS[0], read_events=refused_events)], 1)
    assert str(refused.value) == "these events are refused"
    assert "in refused_events" in "".join(refused.value.__notes__)
    with pytest.raises(psycopg.errors.UndefinedTable) as undefined:
        import_at_once(empty_database_url, processes=1)
    assert undefined.value.diag.message_primary == 'relation "eventlog.log" does not exist'
    with pytest.raises(psycopg.OperationalError, match="no_such_database"):
        import_at_once(make_conninfo(database_url, dbname="no_such_database"), processes=1)


def test_an_error_of_one_stream_ends_the_import(database_url: str) -> None:
    jobs = [replace(JOBS[0], events=1_000), replace(JOBS[1], read_events=refused_events, events=999), *JOBS[2:]]
    with blocked_archive(database_url) as watcher:
        with pytest.raises(ConfigError):
            import_at_once(database_url, jobs)
        assert active_children() == []
        wait_until(lambda: watcher.execute(WAITING).fetchall() == [], what="the server to cancel the batches")
    assert all_added(import_at_once(database_url, processes=1))


def test_a_killed_worker_is_an_error_and_the_import_can_continue(database_url: str) -> None:
    def kill_one(stream: StreamIdentity, events: int) -> None:
        if events:
            os.kill(active_children()[0].pid or 0, signal.SIGKILL)

    with pytest.raises(ProjectionError, match=r"^The process that imported __samza_\S+ was ended by signal 9 before"):
        import_at_once(database_url, on_progress=kill_one)
    assert active_children() == []
    imported = import_at_once(database_url, processes=1)
    assert all_added(imported)
    assert sum(done.skipped for done in imported) >= 40


def test_an_interrupt_ends_the_import_at_once(database_url: str) -> None:
    def interrupt(stream: StreamIdentity, events: int) -> None:
        if events:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_at_once(database_url, on_progress=interrupt)
    assert active_children() == []
    assert all_added(import_at_once(database_url, processes=1))


def test_the_repr_of_a_task_hides_the_password() -> None:
    task = WorkerTask("postgresql://u:the-password@h/d", (), SETTINGS, lambda: ARCHIVED_AT, 1)
    assert "the-password" not in repr(task)
