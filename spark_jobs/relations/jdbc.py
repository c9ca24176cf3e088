"""Consistent reads over JDBC; the only module with Spark's JDBC options."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, LiteralString, Protocol

from psycopg import sql
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructField, TimestampType

from spark_jobs.errors import UnsafeReadError
from spark_jobs.relations.settings import ReadSettings, jdbc_address
from spark_jobs.relations.snapshots import Snapshot
from spark_jobs.timestamps import LAST_TIMESTAMPTZ

NAME = re.compile(r"[a-z][a-z0-9_]*")

INSTANTS: Final = "spark.sql.datetime.java8API.enabled"
"""The setting with which Spark writes times in pushed filters in the session's zone instead of the JVM's."""

UTC_NAMES: Final = ("UTC", "Etc/UTC", "GMT", "Z", "+00:00")

_TIMES: Final[LiteralString] = """
SELECT attname::text FROM pg_catalog.pg_attribute
WHERE attrelid = to_regclass(%s) AND atttypid = 'timestamptz'::regtype AND NOT attisdropped
"""
_TIME: Final = sql.SQL("CASE WHEN {column} <= {last}::timestamptz THEN {column} END AS {column}")

Value = str | int | bool


class Rows(Protocol):
    """Rows of a relation in schema `coordinator` that a query returns, with the columns that a reader wants."""

    @property
    def name(self) -> str:
        """The name of the relation."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The wanted columns."""

    def query(self, also: Sequence[str] = ()) -> sql.Composed:
        """The SELECT statement, which returns the columns `also` too."""


@dataclass(frozen=True)
class Relation:
    """Columns of a relation in schema `coordinator`, and a filter: each column in `equals` must have its value."""

    name: str
    columns: tuple[str, ...]
    equals: Mapping[str, Value]

    def query(self, also: Sequence[str] = ()) -> sql.Composed:
        """The SELECT statement, with values as quoted literals. Raises UnsafeReadError for an invalid name."""
        conditions: list[sql.Composable] = [
            sql.SQL("{} = {}").format(identifier(name), value) for name, value in self.equals.items()
        ]
        return sql.SQL("SELECT {columns} FROM {relation} WHERE {conditions}").format(
            columns=column_list(self.columns, also),
            relation=sql.Identifier("coordinator", checked(self.name)),
            conditions=sql.SQL(" AND ").join(conditions or [sql.SQL("true")]),
        )


@dataclass(frozen=True)
class Ranges:
    """The partitions of a read: `count` equal ranges of an integer column. The outer ones have no outer bound."""

    column: str
    lowest: int
    highest: int
    count: int

    def options(self) -> dict[str, str]:
        """Spark's partition options; empty for a single partition."""
        if self.count <= 1:
            return {}
        bounds = {"lowerBound": str(self.lowest), "upperBound": str(self.highest + 1)}
        return {"partitionColumn": checked(self.column), "numPartitions": str(self.count), **bounds}


ONE_PARTITION = Ranges("", 0, 0, 1)


def read_rows(spark: SparkSession, settings: ReadSettings, rows: Rows, snapshot: Snapshot, ranges: Ranges) -> DataFrame:
    """The rows as a lazy DataFrame: every action, which must finish while the snapshot is open, sees the snapshot.

    The column of `ranges` need not be among the rows' columns. Raises UnsafeReadError without a fetch size, which would
    fill the heap, and without a snapshot, which would silently mix several moments.
    """
    options = jdbc_options(settings, rows, snapshot, ranges)
    frame = spark.read.format("jdbc").options(**options).load().select(*rows.columns)
    sends_instants = spark.conf.get(INSTANTS) == "true"
    return frame.selectExpr(*(_with_exact_filters(column, sends_instants) for column in frame.schema))


def _with_exact_filters(field: StructField, sends_instants: bool) -> str:
    """The column in SQL; a time as an expression, unless Spark writes the times in pushed filters in UTC.

    Spark writes them without a zone, in that of the session or of an executor's JVM, where an hour of each autumn
    occurs twice; the zone of the connections is UTC. Spark itself evaluates filters on an expression. The zone of the
    session is compared when Spark plans an action, since it may have changed after the read.
    """
    name = f"`{field.name}`"
    if not isinstance(field.dataType, TimestampType):
        return name
    computed = f"timestamp_micros(unix_micros({name}))"
    if sends_instants:
        computed = f"CASE WHEN current_timezone() IN {UTC_NAMES} THEN {name} ELSE {computed} END"
    return f"{computed} AS {name}"


def jdbc_options(settings: ReadSettings, rows: Rows, snapshot: Snapshot, ranges: Ranges) -> dict[str, str]:
    """Spark's options for the read. They contain the password: pass them to Spark's reader only."""
    if not isinstance(snapshot, Snapshot):
        raise UnsafeReadError("A read in several partitions without a snapshot is inconsistent. Pass a snapshot.")
    also = () if ranges.count <= 1 or ranges.column in rows.columns else (ranges.column,)
    return {
        **jdbc_address(settings.database_url).properties(),
        "dbtable": sql.SQL("({query}) AS relation").format(query=_representable(rows, also, snapshot)).as_string(),
        "fetchsize": str(settings.rows_per_fetch()),
        "sessionInitStatement": snapshot.session_statement(),
        **ranges.options(),
    }


def _representable(rows: Rows, also: Sequence[str], snapshot: Snapshot) -> sql.Composed:
    """The query of the rows, in which times that Spark cannot represent are null."""
    found = snapshot.connection.execute(_TIMES, (f"coordinator.{checked(rows.name)}",)).fetchall()
    times = {name for (name,) in found}
    if times.isdisjoint(rows.columns):
        return rows.query(also)
    columns = [
        _TIME.format(column=identifier(name), last=LAST_TIMESTAMPTZ) if name in times else identifier(name)
        for name in (*rows.columns, *also)
    ]
    query = sql.SQL("SELECT {columns} FROM ({query}) AS r")
    return query.format(columns=sql.SQL(", ").join(columns), query=rows.query(also))


def column_list(columns: Sequence[str], also: Sequence[str] = ()) -> sql.Composed:
    """The columns of a SELECT."""
    return sql.SQL(", ").join(map(identifier, (*columns, *also)))


def identifier(name: str) -> sql.Identifier:
    """A quoted name. Raises UnsafeReadError if it is invalid."""
    return sql.Identifier(checked(name))


def checked(name: str) -> str:
    """The name itself. Raises UnsafeReadError if it is invalid."""
    if not NAME.fullmatch(name):
        raise UnsafeReadError(
            f"Invalid relation or column name {name!r}. Expected lower-case letters, digits and underscores."
        )
    return name
