"""Recordings of many jobs, the Spark session of the benchmarks, and a replay of the recordings."""

import os
from pathlib import Path
from typing import Final

from pyspark.sql import SparkSession

from benchmarks.relation_data import JobLogs, JobSize
from coordstream.settings import load_settings
from eventlog.postgres.connection import connect
from eventlog.recording import write_recording
from eventlog.secret_policy import SecretPolicy
from projections.fold.settings import FoldSettings
from spark_jobs.jars import postgres_driver
from spark_jobs.log_task import LogTaskSettings
from spark_jobs.recordings import check_recordings, find_files
from spark_jobs.replay import replay
from spark_jobs.session import build_session, jar_conf

EVENTS_A_LOG: Final = 1_000
CORES: Final = 2
SETTINGS: Final = FoldSettings(SecretPolicy(b"the benchmark's key"))


def generate_recordings(folder: Path, events: int) -> int:
    """Write a file for each log, with `EVENTS_A_LOG` events on average; return the number of events."""
    folder.mkdir()
    count = 0
    for number in range(max(events // (2 * EVENTS_A_LOG), 1)):
        logs = JobLogs(JobSize(f"job-{number:05}", 2 * EVENTS_A_LOG, 16, 150))
        streams = ((logs.coordinator, logs.coordinator_events()), (logs.checkpoints, logs.checkpoint_events()))
        for name, records in streams:
            file = folder / f"{name.lstrip('_')}.jsonl"  # Spark's own readers leave out names that begin with "_"
            count += write_recording(file, ((name, event) for event in records))
    return count


def start_session() -> SparkSession:
    """A session with the JDBC driver, whose JVM has started."""
    jar = postgres_driver(load_settings().jar_cache, os.environ)
    spark = build_session("benchmark", {"spark.master": f"local[{CORES}]", **jar_conf(jar)})
    spark.range(1).collect()
    return spark


def replay_recordings(spark: SparkSession, url: str, folder: Path) -> None:
    """As `coordstream spark replay --from FOLDER` does it."""
    settings = LogTaskSettings(url, SETTINGS)
    with connect(url) as connection:
        replay(spark, connection, check_recordings(spark, find_files(str(folder)), settings), settings)
