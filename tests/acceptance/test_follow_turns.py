"""Two followers of one stream: the second waits, and takes over when the first is killed or stops answering."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Final

import pytest

from eventlog.postgres.connection import connect
from eventlog.postgres.log import PostgresEventLog
from eventlog.streams import identify
from tests.acceptance.torture import scaled
from tests.builders import config_set
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.waiting import PATIENCE
from tests.projections.follow.running import wait_for_position

pytestmark = [pytest.mark.slow, pytest.mark.torture]

ROOT: Final = Path(__file__).parents[2]
TURNS: Final = scaled(2, 10)
TAKEOVER_SECONDS: Final = 30.0
STREAM: Final = "__samza_coordinator_orders_1"
HISTORY: Final = "select log_offset, config_value from coordinator.config_history order by 1"


@contextmanager
def program(url: str, *words: str, brokers: str = "") -> Iterator[tuple["subprocess.Popen[str]", IO[str]]]:
    """Run `coordstream follow`, and yield it with its standard error; kill it at the end."""
    settings = {"COORDSTREAM_DATABASE_URL": url, "COORDSTREAM_MASK_KEY": "a key of the tests"}
    if brokers:
        settings["COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS"] = brokers
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


def test_the_second_takes_over_within_seconds(
    database_url: str, topics: Topics, kafka_bootstrap_servers: str, coordinator_topic: str
) -> None:
    takeovers = []
    with connect(database_url) as connection, ExitStack() as programs:

        def start() -> tuple["subprocess.Popen[str]", IO[str]]:
            return programs.enter_context(program(database_url, coordinator_topic, brokers=kafka_bootstrap_servers))

        def write(value: str) -> None:
            (offset,) = topics.write(coordinator_topic, [config_set("a", value)])
            wait_for_position(connection, coordinator_topic, offset + 1)

        running, stderr = start()
        write("0")
        for turn in range(TURNS):
            second, stderr = start()
            waits = line_with(stderr, f"{coordinator_topic} is read by coordstream follow on 127.0.0.1")
            assert "takes over when the other one ends" in waits
            write(f"before {turn}")
            running.kill()
            killed_at = time.monotonic()
            write(f"after {turn}")
            takeovers.append(time.monotonic() - killed_at)
            line_with(stderr, "is free: this follower continues at offset")
            running = second
        running.terminate()
        running.wait(PATIENCE)
        assert (running.returncode, stderr.read()) == (0, "")
        history = connection.execute(HISTORY.encode()).fetchall()
    turns = [text for turn in range(TURNS) for text in (f"before {turn}", f"after {turn}")]
    assert history == list(enumerate(["0", *turns]))
    assert max(takeovers) < TAKEOVER_SECONDS


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
