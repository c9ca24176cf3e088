"""What happens to a log task that fails: retried while something is unavailable, else a sentence for its log."""

from collections.abc import Callable
from dataclasses import replace
from time import monotonic
from typing import Any, Final

import psycopg
import pytest
from psycopg.errors import LockNotAvailable, ProgramLimitExceeded

from eventlog.errors import RecordingError
from eventlog.kafka.options import KafkaOptions
from eventlog.secret_policy import SecretPolicy
from eventlog.source import OffsetLost, StreamUnavailable
from projections.errors import PositionMoved, StreamBusy
from projections.fold.settings import FoldSettings
from spark_jobs.log_task import LogTask, LogTaskInterrupted, LogTaskSession, LogTaskSettings, Outcome
from tests.fixtures.waiting import wait_until

SECRET: Final = "hunter2"


def failing(*errors: Exception, then: Callable[[LogTaskSession], Any] = lambda _: "done") -> LogTask:
    """Raises these errors in turn, then runs ``then``."""
    left = iter(errors)

    def run(session: LogTaskSession) -> Any:
        for error in left:
            raise error
        return then(session)

    return LogTask(1, run)


def settings(url: str = f"postgresql://u:{SECRET}@127.0.0.1:1/d") -> LogTaskSettings:
    options = {"security_protocol": "SASL_SSL", "sasl_mechanism": "PLAIN"}
    credentials = {"sasl_plain_username": "u", "sasl_plain_password": SECRET}
    kafka = KafkaOptions.parse("k:9092", {**options, **credentials})
    fold = FoldSettings(SecretPolicy(SECRET.encode()))
    return LogTaskSettings(url, fold, kafka, outage_seconds=0.1, busy_seconds=0.01)


def test_no_secret_is_in_the_text_of_the_settings() -> None:
    assert SECRET not in repr(settings())
    assert SECRET not in str(settings())


@pytest.mark.parametrize("error", [PositionMoved("s", 1), psycopg.OperationalError("gone"), StreamBusy("s", "other")])
def test_what_may_pass_is_retried(error: Exception) -> None:
    with LogTaskSession(settings()) as session:
        assert session.run(failing(error)) == Outcome("done")


def test_an_outage_begins_with_the_first_error_and_not_with_the_log_task() -> None:
    gone = failing(psycopg.OperationalError("gone"))

    def fail_late(session: LogTaskSession) -> Any:
        end = monotonic() + session.settings.outage_seconds
        wait_until(lambda: monotonic() > end, what="a log task that takes longer than an outage may")
        return gone.run(session)

    with LogTaskSession(settings()) as session:
        assert session.run(LogTask(1, fail_late)) == Outcome("done")


def test_a_task_waits_only_so_long_for_streams_of_others() -> None:
    busy = StreamBusy("s", "another program")
    with LogTaskSession(settings()) as session:
        assert session.run(failing(*[busy] * 100)).failure == str(busy)
        assert session.run(failing(busy)).failure == str(busy)


@pytest.mark.parametrize(("task", "is_copy"), [(1, True), (2, False)])
def test_a_task_waits_for_a_copy_that_spark_has_started_as_long_as_it_works(
    database_url: str, task: int, is_copy: bool
) -> None:
    of_the_run = replace(settings(database_url), busy_seconds=0.0)
    with LogTaskSession(of_the_run, number=1) as copy, LogTaskSession(of_the_run, number=task) as session:
        copy.connection.execute("select 1")
        done = session.run(failing(StreamBusy("s", "the copy"), LockNotAvailable()))
        assert bool(done.failure) is not is_copy
        copy.close()
        wait_until(lambda: session.run(failing(LockNotAvailable())).failure, what="the copy to end")


def test_a_rejected_statement_is_a_sentence_without_values(database_url: str) -> None:
    def reject(session: LogTaskSession) -> None:
        session.connection.execute("select 'hunter2'::integer")

    with LogTaskSession(settings(database_url)) as session:
        failure = session.run(failing(then=reject)).failure
    assert failure == "The database rejected it: invalid input syntax for type integer."


def test_an_outage_interrupts_the_task_without_showing_the_password() -> None:
    with (
        LogTaskSession(settings()) as session,
        pytest.raises(LogTaskInterrupted, match="database is unavailable") as raised,
    ):
        session.run(failing(then=lambda session: session.connection))
    assert SECRET not in str(raised.value)
    assert raised.value.__suppress_context__


def test_a_lost_connection_is_opened_again(database_url: str) -> None:
    with LogTaskSession(settings(database_url)) as session:
        lost = session.connection
        lost.close()
        session.notify("lost")
        done = session.run(failing(then=lambda session: session.connection.execute("select 1").fetchone()))
    assert done == Outcome((1,))


TOO_LARGE: Final = "The database rejected it: ProgramLimitExceeded."


@pytest.mark.parametrize(
    ("error", "times", "sentence"),
    [
        *((error, 1_000, "") for error in (StreamUnavailable(["s"], "The cluster"), OffsetLost("s", 1))),
        (PositionMoved("s", 1), 1_000, ""),
        (RecordingError("Invalid."), 1, "Invalid."),
        (ProgramLimitExceeded(), 1, TOO_LARGE),
    ],
)
def test_what_does_not_pass_for_one_log_is_a_sentence(error: Exception, times: int, sentence: str) -> None:
    with LogTaskSession(settings()) as session:
        assert session.run(failing(*[error] * times)) == Outcome(None, sentence or str(error))
