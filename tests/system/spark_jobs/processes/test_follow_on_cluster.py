"""Following on a cluster of processes: executors apply the events, also after some were killed."""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

import coordstream.__main__
from eventlog.postgres.connection import Connection, connect
from tests.builders import config_set
from tests.fixtures.coordstream.command_line import MASK_KEY, in_own_process
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.projections.follow.running import wait_for_position
from tests.fixtures.spark_cluster import SparkCluster
from tests.fixtures.waiting import wait_until
from tests.system.spark_jobs.processes.test_replay_kills import kill_driver

pytestmark = pytest.mark.long


def test_events_are_applied_in_executors_that_may_be_killed(
    spark_cluster: SparkCluster,
    database_url: str,
    topics: Topics,
    job_name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = {"COORDSTREAM_DATABASE_URL": database_url, "COORDSTREAM_MASK_KEY": MASK_KEY}
    more = {"COORDSTREAM_HOME": str(tmp_path), "COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS": topics.bootstrap_servers}
    for name, value in {**settings, **more}.items():
        monkeypatch.setenv(name, value)
    names = [topics.create(f"__samza_coordinator_{job_name}-{number}_1") for number in range(4)]
    with connect(database_url) as connection, following(spark_cluster, names):
        write(topics, connection, names, 3)
        killed = spark_cluster.executors
        for pid in killed:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        write(topics, connection, names, 6)
        wait_until(lambda: set(spark_cluster.executors) - set(killed), what="a new executor")
    verified = in_own_process("verify", "--all", **settings)
    assert verified.code == 0, verified.out + verified.err


@contextmanager
def following(cluster: SparkCluster, names: list[str]) -> Iterator[None]:
    """A follower whose driver is killed at the end."""
    process = cluster.submit(str(coordstream.__main__.__file__), "spark", "follow", *names)
    with ThreadPoolExecutor(1) as reader:
        output = reader.submit(process.communicate)  # otherwise a full pipe would stop the driver
        try:
            wait_until(lambda: cluster.executors, what="the executors")
            yield
        except BaseException:
            kill_driver(process.pid)
            print(output.result()[1][-4_000:].decode())
            raise
        kill_driver(process.pid)


def write(topics: Topics, connection: Connection, names: list[str], until: int) -> None:
    """Write three events to each topic, and wait until they are applied."""
    for name in names:
        topics.write(name, [config_set(f"key-{number}") for number in range(3)])
    for name in names:
        wait_for_position(connection, name, until)
