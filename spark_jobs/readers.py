"""JDBC reads of the relations in schema `coordinator`; the only module with Spark's JDBC options."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from psycopg import sql
from pyspark.sql import DataFrame, SparkSession

from spark_jobs.errors import UnsafeReadError
from spark_jobs.settings import ReadSettings, jdbc_address
from spark_jobs.snapshots import Snapshot

NAME = re.compile(r"[a-z][a-z0-9_]*")

Value = str | int | bool


@dataclass(frozen=True)
class LogBound:
    """The history of one log up to and including `last_offset`, which must be below the log's position."""

    stream_kind: str
    incarnation: int
    last_offset: int


@dataclass(frozen=True)
class Relation:
    """Columns of a relation in schema `coordinator`, and a filter: each column in `equals` must have its value."""

    name: str
    columns: tuple[str, ...]
    equals: Mapping[str, Value]

    def query(self, bound: LogBound | None = None) -> sql.Composed:
        """The SELECT statement, with values as quoted literals. Raises UnsafeReadError for an invalid name."""
        conditions: list[sql.Composable] = [_equals(column, value) for column, value in self.equals.items()]
        if bound is not None:
            conditions += [_equals("stream_kind", bound.stream_kind), _equals("incarnation", bound.incarnation)]
            conditions += [sql.SQL("{} <= {}").format(_identifier("log_offset"), sql.Literal(bound.last_offset))]
        return sql.SQL("SELECT {columns} FROM {relation} WHERE {conditions}").format(
            columns=sql.SQL(", ").join(map(_identifier, self.columns)),
            relation=sql.Identifier("coordinator", _checked(self.name)),
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
        return {"partitionColumn": _checked(self.column), "numPartitions": str(self.count), **bounds}


def read_relation(
    spark: SparkSession, settings: ReadSettings, relation: Relation, at: Snapshot | LogBound, ranges: Ranges
) -> DataFrame:
    """The rows of `relation` as a lazy DataFrame, all partitions as of one moment.

    The column of `ranges` need not be among the relation's columns. With a Snapshot, every action must finish while it
    is open. Raises UnsafeReadError without a fetch size, which would fill the heap, and without a snapshot or bound,
    which would silently mix several moments.
    """
    extra = () if ranges.count <= 1 or ranges.column in relation.columns else (ranges.column,)
    wanted = replace(relation, columns=(*relation.columns, *extra))
    rows = spark.read.format("jdbc").options(**jdbc_options(settings, wanted, at, ranges)).load()
    return rows.select(*relation.columns)


def jdbc_options(settings: ReadSettings, relation: Relation, at: Snapshot | LogBound, ranges: Ranges) -> dict[str, str]:
    """Spark's options for the read. They contain the password: pass them to Spark's reader only."""
    return {
        **jdbc_address(settings.database_url).properties(),
        "fetchsize": str(settings.rows_per_fetch()),
        **_consistency(relation, at),
        **ranges.options(),
    }


def _consistency(relation: Relation, at: Snapshot | LogBound) -> dict[str, str]:
    match at:
        case Snapshot():
            return {"dbtable": _subquery(relation.query()), "sessionInitStatement": at.session_statement()}
        case LogBound():
            return {"dbtable": _subquery(relation.query(at))}
        case _:
            raise UnsafeReadError(
                f"A read of {relation.name} without a snapshot or a bound is inconsistent. Pass one of them."
            )


def _subquery(query: sql.Composed) -> str:
    return sql.SQL("({query}) AS relation").format(query=query).as_string()


def _equals(column: str, value: Value) -> sql.Composed:
    return sql.SQL("{} = {}").format(_identifier(column), sql.Literal(value))


def _identifier(name: str) -> sql.Identifier:
    return sql.Identifier(_checked(name))


def _checked(name: str) -> str:
    if not NAME.fullmatch(name):
        raise UnsafeReadError(
            f"Invalid relation or column name {name!r}. Expected lower-case letters, digits and underscores."
        )
    return name
