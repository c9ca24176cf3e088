"""A replay on a cluster of processes: driver, worker and executors are killed, and the rows are those of the logs.

A quick form runs always; ``make torture`` replays 500 logs of 2,000 events.
"""

import os
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

import pytest
from psycopg.conninfo import conninfo_to_dict

import coordstream.__main__
from eventlog.postgres.connection import Connection, connect
from projections.stream_lock import stream_lock
from tests.fixtures.acceptance.torture import scaled
from tests.fixtures.coordstream.command_line import MASK_KEY, in_own_process
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

pytestmark = [pytest.mark.torture, pytest.mark.long]


@pytest.fixture(scope="module")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """A folder with a file for each log, and the number of their events."""
    folder = tmp_path_factory.mktemp("recordings")
    return folder, write_fleet(folder, JOBS, EVENTS)


class Replay:
    """A replay of recordings that runs on the cluster. A context manager that kills the driver if it still runs."""

    def __init__(self, cluster: SparkCluster, folder: Path, log: Path) -> None:
        event_log = {"enabled": "true", "dir": log.as_uri(), "compress": "false"}
        conf = {f"spark.eventLog.{name}": value for name, value in event_log.items()}
        options = ("--from", str(folder), "--tasks", "16", "--lock-timeout", str(SECONDS))
        self._process = cluster.submit(str(coordstream.__main__.__file__), "spark", "replay", *options, conf=conf)
        self._reader = ThreadPoolExecutor(1)
        self._output = self._reader.submit(self._process.communicate)  # otherwise a full pipe would stop the driver

    def wait_for_logs(self, connection: Connection, count: int) -> None:
        """Wait until a number of logs is replayed."""

        def are_done() -> bool:
            assert not self._output.done(), self._output.result()[1].decode()[-3_000:]
            (done,) = connection.execute(DONE).fetchone() or (0,)
            return bool(done >= count)

        wait_until(are_done, SECONDS, f"{count} logs to be replayed")

    def output(self) -> str:
        """What it printed when it has ended."""
        out, err = self._output.result(SECONDS)
        assert self._process.returncode == 0, err.decode()[-3_000:]
        return out.decode()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._output.done():
            kill_driver(self._process.pid)
        self._reader.shutdown()


def kill_driver(pid: int) -> None:
    """Kill the driver, a JVM with a Python program as its child."""
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    children = [int(child) for child, parent in map(str.split, listed.splitlines()) if int(parent) == pid]
    for each in (pid, *children):
        with suppress(ProcessLookupError):
            os.kill(each, signal.SIGKILL)


def test_kills_of_driver_worker_and_executors_leave_the_rows_of_the_logs(
    spark_cluster: SparkCluster,
    database_url: str,
    recordings: tuple[Path, int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder, events = recordings
    for name, value in {"DATABASE_URL": database_url, "MASK_KEY": MASK_KEY, "HOME": str(tmp_path)}.items():
        monkeypatch.setenv(f"COORDSTREAM_{name}", value)
    logs = 2 * JOBS

    def verify() -> None:
        settings = {"COORDSTREAM_DATABASE_URL": database_url, "COORDSTREAM_MASK_KEY": MASK_KEY}
        verified = in_own_process("verify", "--all", "--json", **settings)
        assert verified.code == 0, verified.err
        assert len({row["stream_name"] for row in verified.json}) == logs

    with connect(database_url) as connection, connect(database_url) as holding:
        with stream_lock(holding, HELD), Replay(spark_cluster, folder, tmp_path) as killed:
            killed.wait_for_logs(connection, logs // 4)
        before = connection.execute(DONE).fetchone()
        assert before
        assert before[0] < logs
        with Replay(spark_cluster, folder, tmp_path) as wounded:
            with stream_lock(holding, HELD):
                wounded.wait_for_logs(connection, logs // 2)
                kill_worker(spark_cluster)
                for _ in range(EXECUTORS_KILLED):
                    kill_executors(spark_cluster)
            assert f"Replayed {logs} logs: " in wounded.output()
        assert connection.execute("select count(*) from eventlog.event").fetchone() == (events,)
        verify()
        with Replay(spark_cluster, folder, tmp_path) as again:
            assert f"Replayed {logs} logs: 0 events, {events:,} events already present" in again.output()
        verify()
    assert_no_secrets(tmp_path, str(conninfo_to_dict(database_url)["password"]), MASK_KEY)


def kill_worker(cluster: SparkCluster) -> None:
    worker = cluster.workers[0]
    worker.kill()
    worker.wait(PATIENCE)


def kill_executors(cluster: SparkCluster) -> None:
    """Kill the executors of the remaining worker, and wait for one that the worker starts instead."""
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
