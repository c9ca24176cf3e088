"""A lake is written in several runs, read back, and replayed into a new database; damage is noticed."""

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pytest

from eventlog.postgres.archive import read_archived
from eventlog.postgres.connection import Connection, connect
from eventlog.streams import identify
from projections.recording_import import import_stream
from projections.retention import retain
from projections.tracked_logs import logs_of
from spark_jobs.errors import SparkJobError
from spark_jobs.lake import archive as lake_archive
from spark_jobs.lake.archive import Archived, NewEvents, archive, parts_of
from spark_jobs.lake.files import logs_in, read_log
from spark_jobs.lake.manifest import LakeError, LogKey
from spark_jobs.lake.proof import LakeProof
from spark_jobs.lake.reader import lake_events, read_lake, require_intact
from spark_jobs.log_task import LogTaskSettings
from tests.builders import config_set, recorded
from tests.properties.generated_jobs import GeneratedJob, GeneratedLog, Knobs, generate_job
from tests.properties.importing import ARCHIVED_AT, SETTINGS, import_events

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JOBS: Final = 4
KNOBS: Final = Knobs(events=(40, 60), without_topic=0, without_coordinator=0)
NOW: Final = datetime(2027, 1, 1, tzinfo=UTC)
FINGERPRINTS: Final = """
select j.job_name, f.* from (select distinct job_name, job_id from coordinator.job) j
cross join lateral coordinator.fingerprint(j.job_name, j.job_id) f order by 1, 2
"""


def generated() -> list[GeneratedLog]:
    jobs: list[GeneratedJob] = [generate_job(number, KNOBS) for number in range(JOBS)]
    return [log for job in jobs for log in job.logs]


@pytest.fixture
def imported(database_url: str) -> Iterator[Connection]:
    """A database with the first 30 events of each log."""
    with connect(database_url) as connection:
        for log in generated():
            import_events(connection, log.stream_name, log.events[:30])
        yield connection


def run(spark: "SparkSession", url: str, output: Path | str, *, relations: bool = False) -> Archived:
    return archive(spark, url, str(output), relations=relations, clock=lambda: NOW)


def archived(connection: Connection) -> dict[LogKey, list[Any]]:
    logs = connection.execute("select log_id, stream_name, incarnation from eventlog.log").fetchall()
    return {
        LogKey(name, number): [pair for page in read_archived(connection, log_id) for pair in zip(*page, strict=True)]
        for log_id, name, number in logs
    }


def read_back(spark: "SparkSession", output: Path) -> dict[LogKey, list[Any]]:
    """The lake's events by log, from the batches that an executor gets."""
    frame = lake_events(spark, str(output), read_lake(spark, str(output)), partitions=3)
    batches = frame.toArrow().to_batches()
    return {key: [tuple(each) for each in events] for key, events in logs_in(batches)}


def read_by_log(spark: "SparkSession", output: Path) -> dict[LogKey, list[Any]]:
    """The lake's events by log, read without Spark."""
    lake = read_lake(spark, str(output))
    return {key: [tuple(each) for each in read_log(str(output), lake.files_of([key]))] for key in lake.logs}


def replay(url: str, output: str) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Import each log in the executor that gets it."""

    def import_logs(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        with connect(url) as connection:
            for key, archived_events in logs_in(batches):
                events = [event for event, _ in archived_events]
                import_stream(connection, identify(key.stream_name), lambda: events, SETTINGS, lambda: ARCHIVED_AT)  # noqa: B023
                yield pa.RecordBatch.from_pydict({"events": [len(events)]})

    return import_logs


def test_two_runs_are_replayed_into_a_new_database(
    spark: "SparkSession", imported: Connection, database_url: str, clone_database: Callable[[], str], tmp_path: Path
) -> None:
    output = tmp_path / "a lake (100%20) ü"  # Hadoop takes percent-encoded names as they are
    first = run(spark, database_url, output)
    assert (first.number, first.events) == (1, JOBS * 2 * 30)
    assert run(spark, database_url, output).number == 0
    for log in generated():
        import_events(imported, log.stream_name, log.events)
    second = run(spark, database_url, output)
    assert (second.number, second.events) == (2, sum(len(log.events) - 30 for log in generated()))
    assert read_back(spark, output) == archived(imported)
    assert read_by_log(spark, output) == archived(imported)

    lake = read_lake(spark, str(output))
    require_intact(spark, str(output), lake)
    other = clone_database()
    events = lake_events(spark, str(output), lake, partitions=2)
    counts = events.mapInArrow(replay(other, str(output)), "events long").collect()
    assert sum(row.events for row in counts) == first.events + second.events
    with connect(other) as replayed:
        assert replayed.execute(FINGERPRINTS).fetchall() == imported.execute(FINGERPRINTS).fetchall()


def test_a_damaged_manifest_is_named(
    spark: "SparkSession", imported: Connection, database_url: str, tmp_path: Path
) -> None:
    output = tmp_path / "lake"
    run(spark, database_url, output)
    (manifest,) = (output / "manifests" / "00000001").glob("part-*")
    (manifest.parent / f".{manifest.name}.crc").unlink(missing_ok=True)  # as on a file system without checksums
    files = sorted(output.rglob("*"))
    for damaged in (b"", manifest.read_bytes()[:-9], manifest.read_bytes().replace(b"coordinator", b"\xff\xfe")):
        manifest.write_bytes(damaged)
        for use in (lambda: read_lake(spark, str(output)), lambda: run(spark, database_url, output)):
            with pytest.raises(LakeError, match=rf"^Manifest '.*/{manifest.name}' is damaged \(\w+\)\. Restore"):
                use()
    assert sorted(output.rglob("*")) == files


def test_files_are_partitioned_by_stream_and_day(
    spark: "SparkSession", imported: Connection, database_url: str, tmp_path: Path
) -> None:
    done = run(spark, database_url, tmp_path / "lake")
    for file in done.files:
        _, _, stream, incarnation, day, name = file.path.split("/")
        assert stream == f"stream_name={file.stream_name}"
        assert (incarnation, day[:4], name[-8:]) == ("incarnation=1", "day=", ".parquet")
        assert (tmp_path / "lake" / file.path).stat().st_size == file.size
    by_log = lake_events(spark, str(tmp_path / "lake"), read_lake(spark, str(tmp_path / "lake")))
    assert by_log.groupBy("stream_name").count().count() == JOBS * 2


def test_a_removed_and_a_changed_file_are_noticed(
    spark: "SparkSession", imported: Connection, database_url: str, tmp_path: Path
) -> None:
    output = tmp_path / "lake"
    file = run(spark, database_url, output).files[0]
    path, lake = output / file.path, read_lake(spark, str(output))
    content = path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(LakeError, match=f"the file {file.path} was changed. Restore it."):
        list(read_log(str(output), [file]))
    with pytest.raises(LakeError, match=f"the file {file.path} was changed. Restore it."):
        require_intact(spark, str(output), lake)
    path.unlink()
    with pytest.raises(LakeError, match=f"lacks the file {file.path}"):
        list(read_log(str(output), [file]))
    with pytest.raises(LakeError, match=rf"lacks the file {file.path} \({file.rows} events\). Restore it."):
        require_intact(spark, str(output), lake)
    run_again = output / "manifests" / "00000001"
    run_again.rename(output / "manifests" / ".hidden")
    with pytest.raises(LakeError, match=r"is not a lake\. Write one with"):
        read_lake(spark, str(output))


def test_a_killed_run_adds_nothing_and_the_next_one_goes_on(
    spark: "SparkSession", imported: Connection, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise InterruptedError

    output = tmp_path / "lake"
    with monkeypatch.context() as patch:
        patch.setattr(lake_archive, "_commit", killed)
        with pytest.raises(InterruptedError):
            run(spark, database_url, output)
    with pytest.raises(LakeError, match="is not a lake"):
        read_lake(spark, str(output))
    assert run(spark, database_url, output).number == 1
    assert read_back(spark, output) == archived(imported)


def test_the_relations_are_those_of_the_moment(
    spark: "SparkSession", imported: Connection, database_url: str, tmp_path: Path
) -> None:
    done = run(spark, database_url, tmp_path / "lake", relations=True)
    for relation in done.relations:
        (count,) = imported.execute(f"select count(*) from coordinator.{relation.relation}".encode()).fetchone() or (0,)
        assert relation.rows == count
    assert {"config", "checkpoint_history", "event"} <= {relation.relation for relation in done.relations}
    config = spark.read.parquet(str(tmp_path / "lake" / "relations" / "*" / "config"))
    assert config.count() == sum(relation.rows for relation in done.relations if relation.relation == "config")


def test_another_database_is_refused(
    spark: "SparkSession", imported: Connection, database_url: str, clone_database: Callable[[], str], tmp_path: Path
) -> None:
    run(spark, database_url, tmp_path / "lake")
    other = clone_database()
    with connect(other) as connection:
        import_events(connection, "__samza_coordinator_job-0_1", generate_job(7, KNOBS).coordinator_events)
    with pytest.raises(LakeError, match=r"has other events of .* than this database"):
        run(spark, other, tmp_path / "lake")


def test_a_file_system_without_its_jar_is_one_sentence(spark: "SparkSession", database_url: str) -> None:
    with pytest.raises(SparkJobError, match=r"no file system for .s3a:.\. Add its jar and credentials"):
        run(spark, database_url, "s3a://bucket/lake")


def test_a_second_run_at_once_is_refused(
    spark: "SparkSession", imported: Connection, database_url: str, tmp_path: Path
) -> None:
    output = tmp_path / "lake"
    with connect(database_url) as other, other.transaction():
        other.execute(lake_archive._LOCK, (output.resolve().as_uri(),))
        with pytest.raises(LakeError, match="Another run is writing"):
            run(spark, database_url, output)


def test_a_retention_detaches_only_what_the_lake_has(
    spark: "SparkSession", imported: Connection, database_url: str, tmp_path: Path
) -> None:
    output, settings = str(tmp_path / "lake"), LogTaskSettings(database_url, SETTINGS)
    logs = [logs_of(imported, log.stream_name)[0] for log in generated()]
    run(spark, database_url, output)
    for log in generated():
        import_events(imported, log.stream_name, log.events)
    later = [logs_of(imported, log.stream_name)[0] for log in generated()]
    with pytest.raises(LakeError, match=r"lacks events of .* that would be detached\. Run `coordstream spark archive"):
        retain(imported, later, SETTINGS, NOW, check=LakeProof.of(spark, output, later, settings).require)
    run(spark, database_url, output)
    proof = LakeProof.of(spark, output, logs, settings)
    assert len(retain(imported, logs, SETTINGS, NOW, check=proof.require).logs) == JOBS * 2
    assert read_back(spark, Path(output)).keys() == archived(imported).keys()


def test_a_part_has_at_most_so_many_bytes_and_one_event(database_url: str) -> None:
    sizes = [1, 1, 1, 5_000, 1, 1]
    events = recorded([config_set("a", "x" * size) for size in sizes])
    with connect(database_url) as connection:
        import_events(connection, "__samza_coordinator_orders_1", events)
        ((log_id,),) = connection.execute("select log_id from eventlog.log").fetchall()
        new = NewEvents(log_id, LogKey("__samza_coordinator_orders_1", 1), "coordinator", 1, len(events))
        empty = new._replace(first=100, until=200)
        parts = parts_of(connection, [empty, new], 1_000)
        assert [(part.events.first, part.events.until) for part in parts] == [(1, 3), (3, 5), (5, 6)]
        assert [part.size > 1_000 for part in parts] == [False, True, False]
        assert parts[1].size < 1_000 + 5_500
        ((whole, size),) = parts_of(connection, [new])
        assert (whole, size) == (new, sum(part.size for part in parts))
