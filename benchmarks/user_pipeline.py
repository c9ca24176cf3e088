"""A pipeline as a Spark user would write it: from_json, explode, newest row of each key, JDBC upsert through staging.

It reads the same recordings as a replay, and writes the current config and checkpoints; with ``histories`` also the
events themselves, and every row of config and checkpoints (both versions). Other messages, secrets, quarantine and
positions are left out.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from psycopg import sql
from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as sf

from eventlog.postgres.connection import connect
from spark_jobs.relations.settings import jdbc_address

LINE: Final = "topic string, offset bigint, timestamp bigint, key_b64 string, value_b64 string"
VERSION_1: Final = "map<string, struct<system:string, stream:string, partition:string, offset:string>>"
VERSION_2: Final = "`input-offsets` map<string, string>"
PARTITION: Final = r"^([^.]*)\.(.*)\.(\d+)$"
COLUMNS: Final = {
    "config": ("topic", "config_key"),
    "checkpoint": ("topic", "task_name", "system", "stream", "partition"),
}
NEWEST_OF: Final = {"config": ("topic", "config_key"), "checkpoint": ("topic", "task_name")}
"""A new value replaces that of its key, a new commit all rows of its task."""

TABLES: Final = """
create table config (topic text, config_key text, config_value text, log_offset bigint, record_time timestamptz,
                     primary key (topic, config_key));
create table checkpoint (topic text, task_name text, system text, stream text, partition text, input_offset text,
                         log_offset bigint, record_time timestamptz,
                         primary key (topic, task_name, system, stream, partition));
create unlogged table config_stage (like config);
create unlogged table checkpoint_stage (like checkpoint);
create table event (topic text, log_offset bigint, record_time timestamptz, key bytea, value bytea,
                    primary key (topic, log_offset));
create table config_history (like config);
create table checkpoint_history (like checkpoint)
"""

UPSERT: Final = sql.SQL("""
insert into {table} as t select * from {stage} on conflict ({key}) do update
set {value} = excluded.{value}, log_offset = excluded.log_offset, record_time = excluded.record_time
where t.log_offset < excluded.log_offset
""")

_FINGERPRINT: Final = "select count(*), sum(hashtextextended(row::text, 0)) from ({}) as row"
SAME_ROWS: Final = {
    "config": (
        "select config_key, config_value from config",
        "select config_key, config_value from config",
    ),
    "checkpoint": (
        "select task_name, system_name, stream_name, partition_id::text, input_offset from checkpoint",
        "select task_name, system, stream, partition, input_offset from checkpoint",
    ),
    "config_history": (
        "select config_key, config_value from config_history",
        "select config_key, config_value from config_history",
    ),
    "checkpoint_history": (
        "select task_name, system_name, stream_name, partition_id::text, input_offset from checkpoint_history",
        "select task_name, system, stream, partition, input_offset from checkpoint_history",
    ),
    "event": ("select log_offset, key, value from eventlog.event", "select log_offset, key, value from event"),
}
"""The rows that a replay writes, and those that the pipeline writes."""


def run_user_pipeline(spark: SparkSession, url: str, folder: Path, *, histories: bool) -> None:
    """Fill the tables of an empty database."""
    with connect(url) as connection:
        connection.execute(TABLES.encode())
    events = _events(spark, folder).persist()
    if histories:
        _write(events, url, "event")
    texts = events.withColumns({name: sf.col(name).cast("string") for name in ("key", "value")})
    for table, rows in (("config", _configs(texts)), ("checkpoint", _checkpoints(texts))):
        if histories:
            _write(rows, url, f"{table}_history")
        _write(_newest(rows, NEWEST_OF[table]), url, f"{table}_stage")
        _upsert(url, table)
    events.unpersist()


def require_same_rows(replayed_url: str, url: str) -> None:
    """Raise ValueError if a full pipeline wrote other rows than a replay."""
    with connect(replayed_url) as replayed, connect(url) as connection:
        replayed.execute("set search_path = coordinator")
        for table, (expected, query) in SAME_ROWS.items():
            counts = [
                one.execute(_FINGERPRINT.format(text).encode()).fetchall()
                for one, text in ((replayed, expected), (connection, query))
            ]
            if counts[0] != counts[1]:
                raise ValueError(f"The pipeline wrote {counts[1]} rows of {table}, the replay {counts[0]}.")


def _events(spark: SparkSession, folder: Path) -> DataFrame:
    lines = spark.read.schema(LINE).json(str(folder))
    return lines.select(
        "topic",
        sf.col("offset").alias("log_offset"),
        sf.timestamp_millis("timestamp").alias("record_time"),
        sf.unbase64("key_b64").alias("key"),
        sf.unbase64("value_b64").alias("value"),
    )


def _configs(events: DataFrame) -> DataFrame:
    key = sf.from_json("key", "array<string>")
    value = sf.from_json("value", "values map<string, string>")
    return events.where(key[1] == "set-config").select(
        "topic",
        key[2].alias("config_key"),
        value["values"]["value"].alias("config_value"),
        "log_offset",
        "record_time",
    )


def _checkpoints(events: DataFrame) -> DataFrame:
    """A row per input partition of each commit; version 2 has no changelogs."""
    key = sf.from_json("key", "`type` string, `taskName` string")
    typed = events.select("*", key["type"].alias("type"), key["taskName"].alias("task_name"))
    entry = sf.explode(sf.from_json("value", VERSION_1)).alias("name", "entry")
    first = typed.where("type = 'checkpoint'").select("topic", "task_name", "log_offset", "record_time", entry)
    fields = [sf.col(f"entry.{name}") for name in ("system", "stream", "partition")]
    version_1 = _checkpoint(first, fields, sf.col("entry.offset")).where("stream not like '%-changelog'")
    offsets = sf.explode(sf.from_json("value", VERSION_2)["input-offsets"]).alias("name", "offset")
    second = typed.where("type = 'checkpoint-v2'").select("topic", "task_name", "log_offset", "record_time", offsets)
    parts = [sf.regexp_extract("name", PARTITION, n) for n in (1, 2, 3)]
    return version_1.unionAll(_checkpoint(second, parts, sf.col("offset")))


def _checkpoint(rows: DataFrame, partition: Sequence[Column], input_offset: Column) -> DataFrame:
    names = ("system", "stream", "partition")
    columns = [column.alias(name) for column, name in zip(partition, names, strict=True)]
    return rows.select("topic", "task_name", *columns, input_offset.alias("input_offset"), "log_offset", "record_time")


def _newest(rows: DataFrame, key: tuple[str, ...]) -> DataFrame:
    newest_first = Window.partitionBy(*key).orderBy(sf.col("log_offset").desc())
    return rows.withColumn("n", sf.rank().over(newest_first)).where("n = 1").drop("n")


def _write(rows: DataFrame, url: str, table: str) -> None:
    options: dict[str, Any] = {**jdbc_address(url).properties(), "dbtable": table, "batchsize": 10_000}
    options["url"] += "&reWriteBatchedInserts=true"
    rows.coalesce(2).write.format("jdbc").options(**options).mode("append").save()


def _upsert(url: str, table: str) -> None:
    value = "config_value" if table == "config" else "input_offset"
    query = UPSERT.format(
        table=sql.Identifier(table),
        stage=sql.Identifier(f"{table}_stage"),
        key=sql.SQL(", ").join(map(sql.Identifier, COLUMNS[table])),
        value=sql.Identifier(value),
    )
    with connect(url) as connection:
        if connection.execute(query).rowcount == 0:
            raise LookupError(f"the pipeline wrote no row of {table}")
