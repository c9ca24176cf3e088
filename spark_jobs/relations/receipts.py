"""Receipts of reads: rows of `coordinator.spark_read`, which say what to read so that it is the same again."""

from collections.abc import Sequence
from typing import Final, LiteralString, NamedTuple
from weakref import WeakKeyDictionary

import psycopg
from psycopg import sql
from pyspark.sql import DataFrame

from eventlog.postgres.connection import Connection, failure_line, server_reason
from projections.job_choice import Job
from spark_jobs.errors import SparkJobError, spark_errors
from spark_jobs.relations.catalogue import Cut, LogEnds, ends_query
from spark_jobs.relations.open_snapshot import OpenSnapshot

_FIND: Final = sql.SQL(
    "SELECT relation_name, column_names, log_ids, next_offsets, as_of, row_count, checksum"
    " FROM projection.receipt WHERE spark_read_id = {}"
)
_LEAVE: Final[LiteralString] = """
SELECT coordinator.leave_receipt(%s, %s::text[], %s::integer[], %s::bigint[], %s, %s, %s, %s)
"""
_LEFT: Final = WeakKeyDictionary[DataFrame, int]()


class Content(NamedTuple):
    """The number of some rows, and a checksum that does not depend on their order."""

    row_count: int
    checksum: int

    @classmethod
    def of(cls, rows: DataFrame) -> "Content":
        """The content of rows that Spark has read."""
        values = ", ".join(f"`{name}`, isnull(`{name}`)" for name in rows.columns)  # a hash passes over nulls
        with spark_errors("Spark cannot compute the checksum of the rows"):
            hashed = rows.selectExpr("count(*)", f"sum(CAST(xxhash64({values}) AS DECIMAL(20)))")
            ((count, total),) = hashed.collect()
        return cls(count, int(total or 0) % 2**63)


class Receipt(NamedTuple):
    """What was read, up to which ends of which logs, and what the rows were."""

    number: int
    relation: str
    columns: Sequence[str]
    ends: LogEnds
    content: Content

    @classmethod
    def find(cls, number: int, moment: OpenSnapshot) -> "Receipt":
        """The receipt of a number. Raises SparkJobError if there was none at the moment."""
        found = moment.ask(_FIND.format(number), "spark_read")
        if not found:
            raise SparkJobError(f"No receipt {number!r}. The relation spark_read lists the receipts.")
        ((relation, columns, log_ids, next_offsets, at, count, checksum),) = found
        return cls(number, relation, columns, LogEnds(log_ids, next_offsets, at), Content(count, checksum))

    def check(self, rows: DataFrame) -> None:
        """Note that rows were read by this receipt. Raises SparkJobError if they are others than its rows."""
        found = Content.of(rows)
        if found != self.content:
            raise SparkJobError(
                f'Relation "{self.relation}" no longer has the {self.content.row_count} rows of receipt {self.number},'
                f" but {found.row_count} that differ. Since then, a retention may have detached events, a resync found"
                " keys deleted, or config named a job. Read the relation without the receipt."
            )
        _LEFT[rows] = self.number


def receipt_of(frame: DataFrame) -> int:
    """The number of the receipt of a DataFrame that `read_relation` left, or that it was read again by.

    Raises `SparkJobError`: the DataFrame has none, because it is, for example, a filter of one that has.
    """
    try:
        return _LEFT[frame]
    except KeyError:
        raise SparkJobError(
            "Only a DataFrame that `read_relation` itself read with leave_receipt=True has a receipt. Pass that one."
        ) from None


def ends_of(moment: OpenSnapshot, relation: str, job: Job | None, cut: Cut | None) -> LogEnds:
    """What a read now or at a cut shows. Raises SparkJobError if no log had begun then."""
    ((log_ids, next_offsets, at),) = moment.ask(ends_query(relation, job, cut), relation)
    if log_ids is None:
        raise SparkJobError("No log had an event then, so a receipt would be empty. Read without leave_receipt.")
    return LogEnds(log_ids, next_offsets, at)


def leave(connection: Connection, relation: str, ends: LogEnds, rows: DataFrame) -> None:
    """Leave a receipt of rows that Spark has read of a relation. Raises SparkJobError: the database refuses it."""
    application = rows.sparkSession.conf.get("spark.app.name", "") or ""
    values = (relation, rows.columns, *ends, *Content.of(rows), application)
    try:
        ((_LEFT[rows],),) = connection.execute(_LEAVE, values).fetchall()
    except psycopg.Error as error:
        raise SparkJobError(f"Cannot leave a receipt: {server_reason(error) or failure_line(error)}.") from None
