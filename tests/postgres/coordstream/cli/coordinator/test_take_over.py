"""How a coordinator gets the lock of its job."""

from contextlib import closing

import psycopg
import pytest

from coordstream.cli import coordinator as command
from coordstream.cli.coordinator import take
from coordstream.coordinator.job_lock import JobLock
from eventlog.postgres.connection import connect


def test_a_database_that_is_away_is_waited_for(
    database_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "WAIT_SECONDS", 0)
    answers = [psycopg.OperationalError(), psycopg.OperationalError()]

    def connect_later() -> psycopg.Connection[tuple[object, ...]]:
        if answers:
            raise answers.pop()
        return connect(database_url)

    with closing(JobLock(connect_later, "orders", "__samza_coordinator_orders_1")) as lock:
        take("orders", lock, wait=True)
        assert not lock.require()
    assert capsys.readouterr().err == "Waiting until the current coordinator ends: its database does not answer.\n"
