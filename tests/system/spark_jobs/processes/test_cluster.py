"""Replaying and following on a cluster of processes, of which the driver, a worker and executors are killed.

A quick form runs always; ``make torture`` replays 500 logs of 2,000 events.
"""

import os
import signal
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import pytest
from psycopg.conninfo import conninfo_to_dict

import coordstream.__main__
from eventlog.log import system_clock
from eventlog.postgres.connection import Connection, connect
from eventlog.postgres.log_registry import insert_log
from projections.stream_lock import stream_lock
from tests.builders import config_set
from tests.fixtures.acceptance.torture import scaled
from tests.fixtures.coordstream.command_line import MASK_KEY, in_own_process
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.projections.follow.running import wait_for_position
from tests.fixtures.spark_cluster import SparkCluster
from tests.fixtures.waiting import PATIENCE, wait_until
from tests.system.spark_jobs.recorded_fleet import write_fleet

JOBS: Final = scaled(20, 250)
EVENTS: Final = scaled(400, 4_000)
EXECUTORS_KILLED: Final = scaled(1, 2)
SECONDS: Final = scaled(300.0, 1_800.0)  # the cluster's processes share the machine's cores
HELD: Final = "__samza_coordinator_job-0000_1"
"""A stream that the test holds, so that a replay cannot end before the kills."""

DONE: Final = "select count(*) from projection.position where state = 'stopped'"
SPECULATION: Final = {
    "spark.speculation": "true",
    "spark.speculation.interval": "100ms",
    "spark.speculation.minTaskRuntime": "100ms",
    "spark.speculation.multiplier": "1.01",
    "spark.speculation.quantile": "0.1",
}

#: A copy that has found its stream busy, and now waits for the task that holds it.
WAITING_COPIES: Final = """
select count(*) from pg_stat_activity copy join pg_stat_activity task using (application_name)
where copy.state = 'idle' and copy.query like '%pg_stat_activity%' and task.query like '%insert into eventlog.log %'
"""

pytestmark = [pytest.mark.torture, pytest.mark.long]


@pytest.fixture(autouse=True)
def settings(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The settings of the programs: a database of their own."""
    for name, value in {"DATABASE_URL": database_url, "MASK_KEY": MASK_KEY, "HOME": str(tmp_path)}.items():
        monkeypatch.setenv(f"COORDSTREAM_{name}", value)


class Submitted:
    """`coordstream spark` on the cluster."""

    def __init__(self, cluster: SparkCluster, words: Iterable[str], conf: Mapping[str, str] | None = None) -> None:
        self.process = cluster.submit(str(coordstream.__main__.__file__), "spark", *words, conf=conf)
        self._reader = ThreadPoolExecutor(1)
        self._output = self._reader.submit(self.process.communicate)  # otherwise a full pipe would stop the driver

    @property
    def has_ended(self) -> bool:
        return self._output.done()

    def output(self) -> str:
        """What it printed when it has ended."""
        out, err = self._output.result(SECONDS)
        assert self.process.returncode == 0, err.decode()[-3_000:]
        return out.decode()

    def kill(self) -> None:
        """Kill the driver, a JVM with a Python program as its child, if it still runs."""
        listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
        parent = str(self.process.pid)
        children = [int(child) for child, parent_of_it in map(str.split, listed.splitlines()) if parent_of_it == parent]
        for each in () if self.has_ended else (self.process.pid, *children):
            with suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)
        self._reader.shutdown()


@contextmanager
def submitted(cluster: SparkCluster, *words: str, conf: Mapping[str, str] | None = None) -> Iterator[Submitted]:
    """The command, which is killed at the end if it still runs."""
    program = Submitted(cluster, words, conf)
    try:
        yield program
    finally:
        program.kill()


def replay(folder: Path, *more: str) -> tuple[str, ...]:
    return ("replay", "--from", str(folder), *more)


def verify(database_url: str, logs: int) -> None:
    settings = {"COORDSTREAM_DATABASE_URL": database_url, "COORDSTREAM_MASK_KEY": MASK_KEY}
    verified = in_own_process("verify", "--all", "--json", **settings)
    assert verified.code == 0, verified.err
    assert len({row["stream_name"] for row in verified.json}) == logs


def test_kills_of_driver_worker_and_executors_leave_the_rows_of_the_logs(
    spark_cluster: SparkCluster, database_url: str, tmp_path: Path
) -> None:
    events, logs = write_fleet(tmp_path / "fleet", JOBS, EVENTS), 2 * JOBS
    words = replay(tmp_path / "fleet", "--tasks", "16", "--lock-timeout", str(SECONDS))
    (tmp_path / "log").mkdir()
    event_log = {"enabled": "true", "dir": (tmp_path / "log").as_uri(), "compress": "false"}
    conf = {f"spark.eventLog.{name}": value for name, value in event_log.items()}
    with connect(database_url) as connection, connect(database_url) as holding:

        def done() -> int:
            (count,) = connection.execute(DONE).fetchone() or (0,)
            return int(count)

        def wait_for_logs(running: Submitted, count: int) -> None:
            wait_until(lambda: running.has_ended or done() >= count, SECONDS, f"{count} logs to be replayed")
            assert not running.has_ended, running.output()

        with stream_lock(holding, HELD), submitted(spark_cluster, *words, conf=conf) as killed:
            wait_for_logs(killed, logs // 4)
        assert done() < logs
        with submitted(spark_cluster, *words, conf=conf) as wounded:
            with stream_lock(holding, HELD):
                wait_for_logs(wounded, logs // 2)
                spark_cluster.workers[0].kill()
                wait_until(lambda: len(spark_cluster.workers) == 1, what="the end of the worker")
                for _ in range(EXECUTORS_KILLED):
                    kill_executors(spark_cluster)
            assert f"Replayed {logs} logs: " in wounded.output()
        assert connection.execute("select count(*) from eventlog.event").fetchone() == (events,)
        verify(database_url, logs)
        with submitted(spark_cluster, *words, conf=conf) as again:
            assert f"Replayed {logs} logs: 0 events, {events:,} events already present" in again.output()
        verify(database_url, logs)
    assert_no_secrets(tmp_path / "log", str(conninfo_to_dict(database_url)["password"]), MASK_KEY)


def kill_executors(cluster: SparkCluster) -> None:
    """Kill the executors, and wait for one that a worker starts instead."""
    killed = set(wait_until(lambda: cluster.executors, what="an executor"))
    for executor in killed:
        with suppress(ProcessLookupError):
            os.kill(executor, signal.SIGKILL)
    wait_until(lambda: set(cluster.executors) - killed, what="a new executor")


def assert_no_secrets(folder: Path, *secrets: str) -> None:
    """Spark's event logs, which its web pages show, contain plans and properties but no secret."""
    written = b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())
    assert b"MapInArrow" in written
    assert not [secret for secret in secrets if secret.encode() in written]


def test_events_are_followed_in_executors_that_may_be_killed(
    spark_cluster: SparkCluster, database_url: str, topics: Topics, job_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS", topics.bootstrap_servers)
    names = [topics.create(f"__samza_coordinator_{job_name}-{number}_1") for number in range(4)]

    def write(connection: Connection, until: int) -> None:
        for name in names:
            topics.write(name, [config_set(f"key-{number}") for number in range(3)])
        for name in names:
            wait_for_position(connection, name, until)

    with connect(database_url) as connection, submitted(spark_cluster, "follow", *names):
        write(connection, 3)
        kill_executors(spark_cluster)
        write(connection, 6)
    verify(database_url, len(names))


def test_a_copy_of_a_slow_task_waits_for_it(spark_cluster: SparkCluster, database_url: str, tmp_path: Path) -> None:
    """Spark may start one (speculation), which must not report the log as busy."""
    events = write_fleet(tmp_path / "fleet", 1, 400)
    words = replay(tmp_path / "fleet", "--tasks", "2", "--lock-timeout", "0")
    with connect(database_url) as connection, connect(database_url) as blocking:

        def has_waiting_copy() -> bool:
            return connection.execute(WAITING_COPIES.encode()).fetchone() != (0,)

        with blocking.transaction(force_rollback=True):  # the task that has the stream waits for this transaction
            insert_log(blocking, HELD, "coordinator", 1, "recording", system_clock())
            program = Submitted(spark_cluster, words, SPECULATION)
            wait_until(lambda: program.has_ended or has_waiting_copy(), PATIENCE, "a copy of the task")
        assert f"Replayed 2 logs: {events:,} events" in program.output()
    verify(database_url, 2)
