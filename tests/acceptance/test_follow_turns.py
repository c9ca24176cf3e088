"""Two followers of one topic: the second waits, and takes over when the first is killed."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Final

import pytest

from eventlog.postgres.connection import connect
from tests.acceptance.torture import scaled
from tests.builders import config_set
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.waiting import PATIENCE
from tests.projections.follow.running import wait_for_position

pytestmark = [pytest.mark.slow, pytest.mark.torture]

ROOT: Final = Path(__file__).parents[2]
TURNS: Final = scaled(2, 10)
TAKEOVER_SECONDS: Final = 30.0
HISTORY: Final = "select log_offset, config_value from coordinator.config_history order by 1"


@contextmanager
def program(url: str, brokers: str, stream: str) -> Iterator[tuple["subprocess.Popen[str]", IO[str]]]:
    """Run `coordstream follow`, and yield it with its standard error; kill it at the end."""
    settings = {
        "COORDSTREAM_DATABASE_URL": url,
        "COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS": brokers,
        "COORDSTREAM_MASK_KEY": "a key of the tests",
    }
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("COORDSTREAM_")}
    command = [sys.executable, "-m", "coordstream.cli", "follow", stream]
    with subprocess.Popen(
        command, cwd=ROOT, env=inherited | settings, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stderr is not None
        try:
            yield process, process.stderr
        finally:
            process.kill()


def test_the_second_takes_over_within_seconds(
    database_url: str, topics: Topics, kafka_bootstrap_servers: str, coordinator_topic: str
) -> None:
    place = (database_url, kafka_bootstrap_servers, coordinator_topic)
    takeovers = []
    with connect(database_url) as connection, ExitStack() as programs:

        def write(value: str) -> None:
            (offset,) = topics.write(coordinator_topic, [config_set("a", value)])
            wait_for_position(connection, coordinator_topic, offset + 1)

        running, stderr = programs.enter_context(program(*place))
        write("0")
        for turn in range(TURNS):
            second, stderr = programs.enter_context(program(*place))
            assert "Following 1 stream" in stderr.readline()
            waits = stderr.readline()
            assert f"Z {coordinator_topic} is read by coordstream follow on 127.0.0.1 (Postgres backend" in waits
            assert "This follower waits, and takes over when the other one ends." in waits
            write(f"before {turn}")
            running.kill()
            killed_at = time.monotonic()
            write(f"after {turn}")
            takeovers.append(time.monotonic() - killed_at)
            assert "is free: this follower continues at offset" in stderr.readline()
            running = second
        running.terminate()
        running.wait(PATIENCE)
        assert (running.returncode, stderr.read()) == (0, "")
        history = connection.execute(HISTORY.encode()).fetchall()
    turns = [text for turn in range(TURNS) for text in (f"before {turn}", f"after {turn}")]
    assert history == list(enumerate(["0", *turns]))
    assert max(takeovers) < TAKEOVER_SECONDS
    print("\ntaken over after", ", ".join(f"{seconds:.2f} s" for seconds in takeovers))
