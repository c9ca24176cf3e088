"""Spark may start a copy of a slow task (speculation): it waits for the task instead of reporting its log as busy."""

from pathlib import Path
from typing import Final

import pytest

import coordstream.__main__
from eventlog.log import system_clock
from eventlog.postgres.connection import Connection, connect
from eventlog.postgres.log_registry import insert_log
from tests.fixtures.coordstream.command_line import MASK_KEY, in_own_process
from tests.fixtures.spark_cluster import SparkCluster
from tests.fixtures.waiting import PATIENCE, wait_until
from tests.system.spark_jobs.recorded_fleet import write_fleet

pytestmark = pytest.mark.long

SPECULATION: Final = {
    "spark.speculation": "true",
    "spark.speculation.interval": "100ms",
    "spark.speculation.minTaskRuntime": "100ms",
    "spark.speculation.multiplier": "1.01",
    "spark.speculation.quantile": "0.1",
}
SLOW: Final = "__samza_coordinator_job-0000_1"

#: A copy that has found its stream busy, and now waits for the task that holds it.
WAITING_COPIES: Final = """
select count(*) from pg_stat_activity copy join pg_stat_activity task using (application_name)
where copy.state = 'idle' and copy.query like '%pg_stat_activity%' and task.query like '%insert into eventlog.log %'
"""


def test_a_copy_of_a_slow_task_waits_for_it(
    spark_cluster: SparkCluster, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"COORDSTREAM_DATABASE_URL": database_url, "COORDSTREAM_MASK_KEY": MASK_KEY}
    for name, value in {**settings, "COORDSTREAM_HOME": str(tmp_path)}.items():
        monkeypatch.setenv(name, value)
    events = write_fleet(tmp_path / "recordings", 1, 400)
    options = ("--from", str(tmp_path / "recordings"), "--tasks", "2", "--lock-timeout", "0")
    with connect(database_url) as connection, connect(database_url) as blocking:
        with blocking.transaction(force_rollback=True):  # the task that has the stream waits for this transaction
            insert_log(blocking, SLOW, "coordinator", 1, "recording", system_clock())
            program = str(coordstream.__main__.__file__)
            replay = spark_cluster.submit(program, "spark", "replay", *options, conf=SPECULATION)
            wait_until(lambda: replay.poll() is not None or has_waiting_copy(connection), what="a copy of the task")
        out, err = replay.communicate(timeout=PATIENCE)
        assert replay.returncode == 0, err[-3_000:].decode()
        assert f"Replayed 2 logs: {events:,} events" in out.decode()
    verified = in_own_process("verify", "--all", **settings)
    assert verified.code == 0, verified.err


def has_waiting_copy(connection: Connection) -> bool:
    (count,) = connection.execute(WAITING_COPIES.encode()).fetchone() or (0,)
    return bool(count)
