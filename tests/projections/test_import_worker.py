"""What a worker sends over its pipe."""

import signal
from collections.abc import Iterator
from dataclasses import replace
from multiprocessing import Pipe

import pytest

from eventlog.errors import ConfigError
from projections.parallel_import import ImportJob, WorkerTask, work
from projections.recording_import import Imported
from tests.projections.streams_at_once import jobs_of, refused_events
from tests.properties.importing import ARCHIVED_AT, SETTINGS

pytestmark = pytest.mark.slow


@pytest.fixture
def in_this_process() -> Iterator[None]:
    """Restore the handler of SIGTERM, which a worker replaces."""
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


def answers(url: str, jobs: list[ImportJob], *numbers: int | None) -> list[object]:
    """Return all that a worker sends for these numbers of jobs."""
    ours, its = Pipe()
    with ours:
        with its:
            for number in numbers:
                ours.send(number)
            work(its, WorkerTask(url, jobs, SETTINGS, lambda: ARCHIVED_AT, 100))
        received = []
        while ours.poll():
            try:
                received.append(ours.recv())
            except EOFError:
                break
        return received


@pytest.mark.usefixtures("in_this_process")
def test_a_worker_sends_progress_and_results(database_url: str) -> None:
    jobs = jobs_of(1)
    first, second = jobs[0].events, jobs[1].events
    received = [
        (one.stream, one.added, one.skipped) if isinstance(one, Imported) else one
        for one in answers(database_url, jobs, 1, 0, 1, None)
    ]
    assert received == [
        *(0, 100, second - 100, (jobs[1].stream, second, 0)),
        *(0, 100, first - 100, (jobs[0].stream, first, 0)),
        *(second, (jobs[1].stream, 0, second)),
    ]


@pytest.mark.usefixtures("in_this_process")
def test_the_last_message_of_a_worker_is_its_error(database_url: str) -> None:
    jobs = [replace(jobs_of(1)[0], read_events=refused_events)]
    *_, error = answers(database_url, jobs, 0)
    assert isinstance(error, ConfigError)
    assert "in refused_events" in error.__notes__[0]


def test_the_repr_of_a_task_hides_the_password() -> None:
    task = WorkerTask("postgresql://u:the-password@h/d", (), SETTINGS, lambda: ARCHIVED_AT, 1)
    assert "the-password" not in repr(task)
