"""A lake is written in several runs by the executors, and read back; a run that fails or is refused adds nothing."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from eventlog.postgres.archive import read_archived
from eventlog.postgres.connection import Connection, connect
from spark_jobs.errors import SparkJobError
from spark_jobs.lake import archive as lake_archive
from spark_jobs.lake.archive import Archived, NewEvents, archive, parts_of
from spark_jobs.lake.files import find_lake, load_lake, read_log
from spark_jobs.lake.manifest import LakeError, LogKey
from spark_jobs.log_task import LogTaskSettings
from tests.builders import config_set, recorded
from tests.fixtures.properties.generated_jobs import GeneratedLog, Knobs, generate_job
from tests.fixtures.properties.importing import SETTINGS, import_events

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JOBS: Final = 2
KNOBS: Final = Knobs(events=(40, 60), without_topic=0, without_coordinator=0)


def generated() -> list[GeneratedLog]:
    return [log for number in range(JOBS) for log in generate_job(number, KNOBS).logs]


@pytest.fixture
def imported(database_url: str) -> Iterator[Connection]:
    """A database with the first 30 events of each log."""
    with connect(database_url) as connection:
        for log in generated():
            import_events(connection, log.stream_name, log.events[:30])
        yield connection


def run(spark: "SparkSession", url: str, output: Path) -> Archived:
    return archive(spark, str(output), LogTaskSettings(url, SETTINGS))


def archived(connection: Connection) -> dict[LogKey, list[Any]]:
    logs = connection.execute("select log_id, stream_name, incarnation from eventlog.log").fetchall()
    return {
        LogKey(name, number): [pair for page in read_archived(connection, log_id) for pair in zip(*page, strict=True)]
        for log_id, name, number in logs
    }


def read_back(output: Path) -> dict[LogKey, list[Any]]:
    lake = load_lake(str(output))
    return {key: [tuple(each) for each in read_log(str(output), lake.files_of([key]))] for key in lake.logs}


def test_each_run_adds_the_new_events(
    spark: "SparkSession", imported: Connection, database_url: str, tmp_path: Path
) -> None:
    output = tmp_path / "a lake (100%20) ü"
    first = run(spark, database_url, output)
    assert (first.number, first.events) == (1, JOBS * 2 * 30)
    assert run(spark, database_url, output).number == 0
    for log in generated():
        import_events(imported, log.stream_name, log.events)
    second = run(spark, database_url, output)
    assert (second.number, second.events) == (2, sum(len(log.events) - 30 for log in generated()))
    assert read_back(output) == archived(imported)


def test_spark_reads_the_files_as_a_table(
    spark: "SparkSession", imported: Connection, database_url: str, tmp_path: Path
) -> None:
    run(spark, database_url, tmp_path)
    (folder,) = (tmp_path / "events").iterdir()
    rows = spark.read.parquet(str(folder)).groupBy("stream_name", "incarnation").count().collect()
    assert {(row.stream_name, row.incarnation) for row in rows} == archived(imported).keys()


def test_a_run_that_fails_adds_nothing_and_the_next_one_goes_on(
    spark: "SparkSession", imported: Connection, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise InterruptedError

    output = tmp_path / "lake"
    with monkeypatch.context() as patch:
        patch.setattr(lake_archive, "write_manifest", killed)
        with pytest.raises(InterruptedError):
            run(spark, database_url, output)
    assert find_lake(str(output)).number == 0
    (output / "events").rename(output / "elsewhere")
    (output / "events").touch()
    with pytest.raises(SparkJobError, match=r"^Lake '.*' cannot be used: .*Cannot create directory"):
        run(spark, database_url, output)
    (output / "events").unlink()
    assert run(spark, database_url, output).number == 1
    assert read_back(output) == archived(imported)


def test_another_database_is_refused(
    spark: "SparkSession", imported: Connection, database_url: str, clone_database: Callable[[], str], tmp_path: Path
) -> None:
    run(spark, database_url, tmp_path / "lake")
    other = clone_database()
    with connect(other) as connection:
        import_events(connection, "__samza_coordinator_job-0_1", generate_job(7, KNOBS).coordinator_events)
    with pytest.raises(LakeError, match=r"has other events of .* than this database"):
        run(spark, other, tmp_path / "lake")


def test_a_second_run_at_once_is_refused(spark: "SparkSession", database_url: str, tmp_path: Path) -> None:
    output = tmp_path / "lake"
    with connect(database_url) as other, other.transaction():
        other.execute(lake_archive._LOCK, (str(output.resolve()),))
        with pytest.raises(LakeError, match="Another run is writing"):
            run(spark, database_url, output)


def test_a_part_has_at_most_so_many_bytes_and_one_event(database_url: str) -> None:
    sizes = [1, 1, 1, 5_000, 1, 1]
    events = recorded([config_set("a", "x" * size) for size in sizes])
    with connect(database_url) as connection:
        import_events(connection, "__samza_coordinator_orders_1", events)
        ((log_id,),) = connection.execute("select log_id from eventlog.log").fetchall()
        new = NewEvents(log_id, LogKey("__samza_coordinator_orders_1", 1), "coordinator", 1, len(events))
        parts = parts_of(connection, [new._replace(first=100, until=200), new], 1_000)
        assert [(part.first, part.until, size > 1_000) for part, size in parts] == [
            *((1, 3, False), (3, 5, True), (5, 6, False))
        ]
        assert parts_of(connection, [new]) == [(new, sum(size for _, size in parts))]
