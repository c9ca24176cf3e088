"""A pipeline as a Spark user would write it: from_json, explode, newest row of each key, JDBC upsert through staging.

It reads the same recordings as a replay and writes less: the current config and checkpoints (version 1 of each commit),
without histories, archive, secrets, quarantine and positions. With ``histories`` it also appends every row.
"""

from pathlib import Path
from typing import Any, Final

from psycopg import sql
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as sf

from eventlog.postgres.connection import connect
from spark_jobs.relations.settings import jdbc_address

LINE: Final = "topic string, offset bigint, timestamp bigint, key_b64 string, value_b64 string"
CHECKPOINT: Final = "map<string, struct<system:string, stream:string, partition:string, offset:string>>"
COLUMNS: Final = {
    "config": ("topic", "config_key"),
    "checkpoint": ("topic", "task_name", "system", "stream", "partition"),
}
TABLES: Final = """
create table config (topic text, config_key text, config_value text, log_offset bigint, record_time timestamptz,
                     primary key (topic, config_key));
create table checkpoint (topic text, task_name text, system text, stream text, partition text, input_offset text,
                         log_offset bigint, record_time timestamptz,
                         primary key (topic, task_name, system, stream, partition));
create unlogged table config_stage (like config);
create unlogged table checkpoint_stage (like checkpoint);
create table config_history (like config);
create table checkpoint_history (like checkpoint)
"""

UPSERT: Final = sql.SQL("""
insert into {table} as t select * from {stage} on conflict ({key}) do update
set {value} = excluded.{value}, log_offset = excluded.log_offset, record_time = excluded.record_time
where t.log_offset < excluded.log_offset
""")


def run_user_pipeline(spark: SparkSession, url: str, folder: Path, *, histories: bool) -> None:
    """Fill the tables of an empty database."""
    with connect(url) as connection:
        connection.execute(TABLES.encode())
    events = _events(spark, folder).persist()
    for table, rows in (("config", _configs(events)), ("checkpoint", _checkpoints(events))):
        if histories:
            _write(rows, url, f"{table}_history")
        _write(_newest(rows, COLUMNS[table]), url, f"{table}_stage")
        _upsert(url, table)
    events.unpersist()


def _events(spark: SparkSession, folder: Path) -> DataFrame:
    lines = spark.read.schema(LINE).json(str(folder))
    return lines.select(
        "topic",
        sf.col("offset").alias("log_offset"),
        sf.timestamp_millis("timestamp").alias("record_time"),
        sf.unbase64("key_b64").cast("string").alias("key"),
        sf.unbase64("value_b64").cast("string").alias("value"),
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
    key = sf.from_json("key", "`type` string, `taskName` string")
    parsed = events.where(key["type"] == "checkpoint").select(
        "topic",
        key["taskName"].alias("task_name"),
        sf.explode(sf.from_json("value", CHECKPOINT)).alias("name", "entry"),
        "log_offset",
        "record_time",
    )
    entry = [sf.col(f"entry.{name}") for name in ("system", "stream", "partition")]
    return parsed.select(
        "topic", "task_name", *entry, sf.col("entry.offset").alias("input_offset"), "log_offset", "record_time"
    )


def _newest(rows: DataFrame, key: tuple[str, ...]) -> DataFrame:
    newest_first = Window.partitionBy(*key).orderBy(sf.col("log_offset").desc())
    return rows.withColumn("n", sf.row_number().over(newest_first)).where("n = 1").drop("n")


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
