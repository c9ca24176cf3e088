"""A lake is written by the executors in several runs; Spark, DuckDB and the data source read the same rows."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from eventlog.postgres.connection import connect
from projections.tracked_logs import logs_of
from spark_jobs.dispatch import run_log_tasks
from spark_jobs.lake.archive import Archived, archive
from spark_jobs.lake.comparison import compare_logs
from spark_jobs.log_task import LogTaskSettings
from tests.fixtures.properties.generated_jobs import Knobs, generate_job
from tests.fixtures.properties.importing import SETTINGS, import_events

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

KNOBS: Final = Knobs(events=(40, 60), without_topic=0, without_coordinator=0)
LOGS: Final = [log for number in range(2) for log in generate_job(number, KNOBS).logs]


def write_lake(spark: "SparkSession", url: str, output: Path) -> Archived:
    settings = LogTaskSettings(url, SETTINGS)
    return archive(str(output), settings.database_url, partial(run_log_tasks, spark, "Cannot write", settings=settings))


def test_each_run_adds_the_new_events(spark: "SparkSession", database_url: str, tmp_path: Path) -> None:
    output, settings = tmp_path / "a lake ü", LogTaskSettings(database_url, SETTINGS)
    with connect(database_url) as connection:
        for log in LOGS:
            import_events(connection, log.stream_name, log.events[:30])
        first = write_lake(spark, database_url, output)
        assert (first.run, first.events, first.files) == (1, len(LOGS) * 30, len(LOGS))
        assert write_lake(spark, database_url, output).run == 0
        for log in LOGS:
            import_events(connection, log.stream_name, log.events)
        second = write_lake(spark, database_url, output)
        assert (second.run, second.events) == (2, sum(len(log.events) - 30 for log in LOGS))
        logs = [found for log in LOGS for found in logs_of(connection, log.stream_name)]
    found = compare_logs(str(output), logs, partial(run_log_tasks, spark, "Cannot compare", settings=settings))
    assert [found[log.log_id][1] for log in logs] == [len(log.events) for log in LOGS]
