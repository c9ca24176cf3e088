"""The thread that writes batches, on logs of a real database."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from coordstream.event_logs import open_job_record
from eventlog.errors import EventLogError
from eventlog.partition import SystemStreamPartition
from eventlog.source import SourceUnavailable
from managers.steered.job_record import JobOfAnotherProgram, JobRecord
from spark_jobs.observed import batch_thread
from spark_jobs.observed.batch_thread import BatchThread
from spark_jobs.observed.progress import CommittedBatch, SourceRange
from tests.fixtures.coordstream.command_line import CommandLine
from tests.fixtures.database_sessions import end_sessions
from tests.fixtures.waiting import wait_until

PARTITION = SystemStreamPartition("kafka", "clicks", 0)


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_thread, "FIRST_PAUSE_SECONDS", 0.01)


class Place:
    """A database that may be away."""

    def __init__(self) -> None:
        self.is_away = False
        self.tries = 0

    @contextmanager
    def open(self) -> Iterator[JobRecord]:
        self.tries += 1
        if self.is_away:
            raise SourceUnavailable("The database is away.")
        with open_job_record("counts", source="us") as record:
            yield record


def batch(number: int) -> CommittedBatch:
    start = {PARTITION: number} if number else None
    return CommittedBatch("q", "r", number, "sink", (SourceRange(0, start, {PARTITION: number + 1}),))


def checkpoints(cli: CommandLine) -> int:
    ((count,),) = cli.ask(
        "select count(*) from eventlog.event join eventlog.log using (log_id) where stream_kind = 'checkpoint'"
    )
    assert isinstance(count, int)
    return count


@pytest.mark.usefixtures("cli")
def test_what_has_come_is_written_before_the_end(cli: CommandLine) -> None:
    thread = BatchThread(Place().open, "clicks", {})
    thread.start()
    for number in range(50):
        thread.queue.put(batch(number))
    thread.close()
    assert checkpoints(cli) == 50
    thread.close()


def test_an_outage_is_logged_once_and_made_up_for(cli: CommandLine, caplog: pytest.LogCaptureFixture) -> None:
    place = Place()
    with BatchThread(place.open, "clicks", {}) as thread:
        thread.start()
        thread.queue.put(batch(0))
        wait_until(lambda: checkpoints(cli) == 1, what="the first checkpoint")
        place.is_away, tries = True, place.tries
        end_sessions(cli.database_url)
        thread.queue.put(batch(1))
        thread.queue.put(batch(2))
        wait_until(lambda: place.tries > tries + 2, what="some tries")
        place.is_away = False
        wait_until(lambda: checkpoints(cli) == 3, what="the later checkpoints")
    assert len(caplog.records) == 1
    assert "wait until the log answers" in caplog.text


def test_a_log_that_is_away_at_the_start_and_the_end_holds_nobody_up(
    cli: CommandLine, caplog: pytest.LogCaptureFixture
) -> None:
    place = Place()
    place.is_away = True
    thread = BatchThread(place.open, "clicks", {})
    thread.start()
    thread.queue.put(batch(0))
    thread.close()
    assert "wait until the log answers: The database is away." in caplog.text
    assert len(caplog.records) == 1
    assert cli.is_empty()


def test_wrong_input_is_an_error_at_once(cli: CommandLine) -> None:
    with open_job_record("counts", source="others") as record:
        record.declare({})
    with pytest.raises(JobOfAnotherProgram):
        BatchThread(Place().open, "clicks", {}).start()
    assert issubclass(JobOfAnotherProgram, EventLogError)
    assert checkpoints(cli) == 0
