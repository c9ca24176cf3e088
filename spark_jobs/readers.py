"""JDBC reads of the relations of `coordinator`: the only place that knows Spark's JDBC options."""

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
    """A cut of one log's append-only history: nothing after `last_offset`, which a position row vouches for."""

    stream_kind: str
    incarnation: int
    last_offset: int


@dataclass(frozen=True)
class Relation:
    """Columns of a relation of `coordinator`, and the values that its rows must have (column -> value)."""

    name: str
    columns: tuple[str, ...]
    equals: Mapping[str, Value]

    def query(self, bound: LogBound | None = None) -> sql.Composed:
        """The relation as SELECT, every value a quoted literal. Raises UnsafeReadError for a name that is none."""
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
    """How a read is cut: `count` equal strides of an integer column from `lowest` to `highest`; no row is left out."""

    column: str
    lowest: int
    highest: int
    count: int

    def options(self) -> dict[str, str]:
        """Spark's partition options; none for a single partition."""
        if self.count <= 1:
            return {}
        bounds = {"lowerBound": str(self.lowest), "upperBound": str(self.highest + 1)}
        return {"partitionColumn": _checked(self.column), "numPartitions": str(self.count), **bounds}


def read_relation(
    spark: SparkSession, settings: ReadSettings, relation: Relation, at: Snapshot | LogBound, ranges: Ranges
) -> DataFrame:
    """The rows of `relation` as a lazy DataFrame, all partitions of one moment.

    The column that cuts the read need not be one of the relation's columns. With a Snapshot every action must end while
    it is open. Raises UnsafeReadError without a fetch size, a snapshot or a
    bound: such a read would tear or fill the heap, silently.
    """
    cut = () if ranges.count <= 1 or ranges.column in relation.columns else (ranges.column,)
    wanted = replace(relation, columns=(*relation.columns, *cut))
    rows = spark.read.format("jdbc").options(**jdbc_options(settings, wanted, at, ranges)).load()
    return rows.select(*relation.columns)


def jdbc_options(settings: ReadSettings, relation: Relation, at: Snapshot | LogBound, ranges: Ranges) -> dict[str, str]:
    """Spark's options for the read; they hold the password, so they are for Spark's reader only."""
    return {
        **jdbc_address(settings.database_url).properties(),
        "fetchsize": str(settings.rows_per_fetch()),
        **_moment(relation, at),
        **ranges.options(),
    }


def _moment(relation: Relation, at: Snapshot | LogBound) -> dict[str, str]:
    match at:
        case Snapshot():
            return {"dbtable": _subquery(relation.query()), "sessionInitStatement": at.session_statement()}
        case LogBound():
            return {"dbtable": _subquery(relation.query(at))}
        case _:
            raise UnsafeReadError(
                f"Reading {relation.name} without a snapshot or a bound would tear it: give one of them."
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
            f"{name!r} is no name of a relation or column of coordinator: use lower case and underscores."
        )
    return name
