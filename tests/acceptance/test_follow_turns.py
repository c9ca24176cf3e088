"""Two followers of one stream: the second takes over when the first stops answering."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

import pytest

from eventlog.postgres.connection import connect
from eventlog.postgres.log import PostgresEventLog
from eventlog.streams import identify
from tests.builders import config_set
from tests.projections.follow.running import wait_for_position

pytestmark = [pytest.mark.slow, pytest.mark.torture]

ROOT: Final = Path(__file__).parents[2]
STREAM: Final = "__samza_coordinator_orders_1"
HISTORY: Final = "select log_offset, config_value from coordinator.config_history order by 1"


@contextmanager
def program(url: str, *words: str) -> Iterator[tuple["subprocess.Popen[str]", IO[str]]]:
    """Run `coordstream follow`, and yield it with its standard error; kill it at the end."""
    settings = {"COORDSTREAM_DATABASE_URL": url, "COORDSTREAM_MASK_KEY": "a key of the tests"}
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("COORDSTREAM_")}
    command = [sys.executable, "-m", "coordstream", "follow", *words]
    with subprocess.Popen(
        command, cwd=ROOT, env=inherited | settings, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stderr is not None
        try:
            yield process, process.stderr
        finally:
            process.kill()


def line_with(stderr: IO[str], text: str) -> str:
    """Read lines up to one that contains the text, and return that line."""
    return next(line for line in stderr if text in line)


def test_another_follower_takes_over_from_a_stopped_one_which_waits_when_it_is_continued(database_url: str) -> None:
    with connect(database_url) as connection, PostgresEventLog.create(database_url, identify(STREAM)) as log:
        log.append([config_set("a", "0")])
        with program(database_url, STREAM) as (first, first_stderr):
            wait_for_position(connection, STREAM, 1)
            first.send_signal(signal.SIGSTOP)
            log.append([config_set("a", "1")])
            with program(database_url, STREAM, "--take-over-after", "10s") as (_, second_stderr):
                line_with(second_stderr, "ended its session to take over")
                wait_for_position(connection, STREAM, 2)
                first.send_signal(signal.SIGCONT)
                line_with(first_stderr, f"{STREAM} is read by coordstream follow")
                log.append([config_set("a", "2")])
                wait_for_position(connection, STREAM, 3)
        assert connection.execute(HISTORY).fetchall() == [(0, "0"), (1, "1"), (2, "2")]
