import re
from functools import partial
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as sf

from coordstream.postgres import EmbeddedPostgres
from eventlog.events import RecordedEvent
from eventlog.masked_event import mask_event
from eventlog.recording import read_recording, write_recording
from spark_jobs.data_source.source import register
from spark_jobs.lake.archive import archive as write_lake
from spark_jobs.log_task import LogTaskSettings, run_here
from tests.conftest import PYSPARK
from tests.fixtures.coordstream.command_line import CHECKPOINT, COORDINATOR, RECORDING_A
from tests.fixtures.data_source import FOLD, SECRETS, Read
from tests.fixtures.properties.importing import SETTINGS

pytestmark = pytest.mark.spark

PLAIN_SQL = """
select l.stream_name, l.stream_kind, l.incarnation, e.log_offset,
       (extract(epoch from e.record_time) * 1000000)::bigint, e.key, e.value
from eventlog.event e join eventlog.log l using (log_id) order by 1, 3, 4
"""
RELATION = """
select stream_kind, incarnation, log_offset, message_type, message_key, operation
from coordinator.event order by stream_kind, incarnation, log_offset
"""


def test_the_rows_are_those_of_plain_sql(read: Read, archive: psycopg.Connection) -> None:
    rows = read(offsetsPerPartition="100").select(
        "stream_name", "stream_kind", "incarnation", "log_offset", sf.unix_micros("record_time"), "key", "value"
    )
    assert rows.rdd.getNumPartitions() == 9
    assert sorted(map(_plain, rows.collect())) == list(map(_plain, archive.execute(PLAIN_SQL).fetchall()))


def test_the_decoded_columns_are_those_of_the_relation_event(read: Read, archive: psycopg.Connection) -> None:
    columns = ("stream_kind", "incarnation", "log_offset", "message_type", "message_key", "operation")
    rows = read().select(*columns).orderBy("stream_kind", "incarnation", "log_offset").collect()
    assert list(map(tuple, rows)) == archive.execute(RELATION).fetchall()


def test_values_are_those_of_exports(read: Read) -> None:
    rows = read(streams=COORDINATOR).orderBy("log_offset").select("message_value").collect()
    masked = [mask_event(event, SECRETS).value for _, event in read_recording(RECORDING_A[0])]
    assert [row.message_value for row in rows] == [None if value is None else value.decode() for value in masked]


@pytest.mark.skipif(PYSPARK < (4, 1), reason="Spark pushes filters down since 4.1")
def test_filters_on_stream_and_offset_are_pushed_down(
    spark: SparkSession, archive_url: str, postgres_server: EmbeddedPostgres
) -> None:
    logging = "-c log_statement=all -c log_error_verbosity=default -c log_parameter_max_length=-1"
    register(spark, LogTaskSettings(make_conninfo(archive_url, options=logging), FOLD))
    before = len(postgres_server.log_file.read_bytes())
    rows = spark.read.format("coordinator_stream").load()
    rows = rows.where(f"stream_name = '{COORDINATOR}' and log_offset >= 10 and log_offset < 20")
    assert [row.log_offset for row in rows.select("log_offset").collect()] == list(range(10, 20))
    logged = postgres_server.log_file.read_bytes()[before:].decode()
    reads = re.findall(r"log_offset < \$3.*\n.*\n?.*[Pp]arameters: (.*), \$4 = ", logged)
    assert reads == ["$1 = '1', $2 = '10', $3 = '20'"], logged


def test_a_recording_and_a_folder_of_recordings_have_the_same_rows(read: Read, tmp_path: Path) -> None:
    columns = ("stream_name", "log_offset", "record_time", "key", "value", "message_type", "message_value")
    archived = read(streams=CHECKPOINT).select(*columns).collect()
    assert read(**{"from": str(RECORDING_A[1])}).select(*columns).collect() == archived
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / RECORDING_A[1].name).symlink_to(RECORDING_A[1])
    assert read(**{"from": str(tmp_path)}).select(*columns).collect() == archived


def test_a_lake_has_the_same_rows(read: Read, archive_url: str, tmp_path: Path) -> None:
    settings = LogTaskSettings(archive_url, SETTINGS)
    write_lake(str(tmp_path), settings.database_url, partial(run_here, settings=settings))
    order = ("stream_name", "log_offset")
    rows = read(**{"from": str(tmp_path)}, offsetsPerPartition="100").orderBy(*order)
    assert rows.collect() == read().orderBy(*order).collect()
    found = rows.where(f"stream_name = '{COORDINATOR}' and log_offset between 10 and 19 and incarnation = 1")
    assert [row.log_offset for row in found.select("log_offset").collect()] == list(range(10, 20))
    with pytest.raises(PySparkException, match=f"Lake '{tmp_path}' has no stream 'none'"):
        read(**{"from": str(tmp_path)}, streams="none").collect()
    next(tmp_path.rglob("*.parquet")).unlink()
    with pytest.raises(PySparkException, match=r"a file was removed or changed \(.*\.parquet"):
        read(**{"from": str(tmp_path)}).collect()


def test_a_schema_chooses_the_columns(spark: SparkSession, read: Read) -> None:
    del read
    source = spark.read.format("coordinator_stream").option("streams", CHECKPOINT)
    assert source.schema("log_offset bigint").load().columns == ["log_offset"]
    with pytest.raises(PySparkException, match="has no column 'log_offset string'"):
        source.schema("log_offset string").load().collect()


def test_a_role_that_only_reads_relations_is_refused_in_one_sentence(spark: SparkSession, archive_url: str) -> None:
    register(spark, LogTaskSettings(make_conninfo(archive_url, options="-c role=coordstream_reader"), FOLD))
    with pytest.raises(PySparkException, match=r"may not read the archive.* `coordstream db grant replayer "):
        spark.read.format("coordinator_stream").load().collect()


def test_unknown_names_are_refused(spark: SparkSession, read: Read) -> None:
    with pytest.raises(PySparkException, match=f"has no stream '{COORDINATOR}2'.*Did you mean \"{COORDINATOR}\""):
        read(streams=f"{COORDINATOR}2").collect()
    with pytest.raises(
        PySparkException, match=r"Unknown option 'relation' of .* with coordstream\.spark\.read_relation"
    ):
        spark.read.format("coordinator_stream").option("relation", "checkpoint").load().collect()
    for option in ({"startingOffsets": "latest"}, {"maxOffsetsPerTrigger": "3"}):
        with pytest.raises(PySparkException, match=r"are for spark\.readStream\. Filter a batch on log_offset"):
            read(**option).collect()
    assert read(streams="none-*").collect() == []


def test_no_plan_shows_how_to_reach_the_database(read: Read, archive_url: str) -> None:
    rows = read()
    rows.collect()
    plan = rows._jdf.queryExecution().toString()
    assert "coordinator_stream" in plan
    assert "postgresql" not in plan
    assert archive_url not in plan


def _plain(row: tuple[object, ...]) -> tuple[object, ...]:
    return tuple(bytes(value) if isinstance(value, bytearray | memoryview) else value for value in row)


def test_names_of_headers_that_are_not_text_have_escapes(read: Read, tmp_path: Path) -> None:
    headers = (("a", b"1"), ("\udcff", b"2"), ("\ud800", None))
    recording = tmp_path / "recording.jsonl"
    write_recording(recording, [(COORDINATOR, RecordedEvent(0, 0, 0, b"k", b"v", headers))])
    (row,) = read(**{"from": str(recording)}).select("headers.key").collect()
    assert row.key == ["a", "\\xff", "\\ud800"]
