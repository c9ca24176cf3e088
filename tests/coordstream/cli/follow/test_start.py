"""The start of `coordstream follow`."""

import pytest

from coordstream import schema_check
from coordstream.cli.follow.start import wait_for_database
from coordstream.cli.follow.stop import stop_on_signal_or_timeout
from coordstream.schema_check import is_current
from eventlog.postgres.connection import Connection
from tests.coordstream.command_line import CommandLine


def test_a_session_that_is_ended_during_the_start_is_opened_again(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    pids: list[int] = []

    def end_first_session(connection: Connection) -> bool:
        pids.append(connection.info.backend_pid)
        if len(pids) == 1:
            cli.ask(f"select pg_terminate_backend({pids[0]}, 10000)")
        return is_current(connection)

    monkeypatch.setattr(schema_check, "is_current", end_first_session)
    reported: list[str] = []
    with stop_on_signal_or_timeout(None) as stop:
        assert wait_for_database(stop, None, reported.append) is not None
    assert [sentence.partition(" (")[0] for sentence in reported] == [
        "Lost the connection to the database of COORDSTREAM_DATABASE_URL"
    ]
