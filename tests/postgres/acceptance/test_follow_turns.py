"""Two followers of one stream: the second takes over when the first stops answering."""

import signal
from typing import IO, Final

import pytest

from eventlog.postgres.connection import connect
from eventlog.postgres.log import PostgresEventLog
from eventlog.streams import identify
from tests.builders import config_set
from tests.fixtures.coordstream.command_line import CommandLine, started
from tests.fixtures.projections.follow.running import wait_for_position

pytestmark = [pytest.mark.slow, pytest.mark.torture]

STREAM: Final = "__samza_coordinator_orders_1"
END: Final = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'coordstream follow'"
HISTORY: Final = "select log_offset, config_value from coordinator.config_history order by 1"


def line_with(stderr: IO[str] | None, text: str) -> str:
    """Read lines up to one that contains the text, and return that line."""
    assert stderr is not None
    return next(line for line in stderr if text in line)


def test_another_follower_takes_over_from_a_stopped_one_which_waits_when_it_is_continued(cli: CommandLine) -> None:
    with connect(cli.database_url) as connection, PostgresEventLog.create(cli.database_url, identify(STREAM)) as log:
        log.append([config_set("a", "0")])
        with started(cli, "follow", STREAM) as first:
            wait_for_position(connection, STREAM, 1)
            first.send_signal(signal.SIGSTOP)
            log.append([config_set("a", "1")])
            connection.execute(END)
            with started(cli, "follow", STREAM):
                wait_for_position(connection, STREAM, 2)
                first.send_signal(signal.SIGCONT)
                line_with(first.stderr, f"{STREAM} is read by coordstream follow")
                log.append([config_set("a", "2")])
                wait_for_position(connection, STREAM, 3)
    assert cli.ask(HISTORY) == [(0, "0"), (1, "1"), (2, "2")]
