"""The database at one moment, for reads of Spark over many connections."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, NamedTuple, TypeAlias

import psycopg
from psycopg import sql
from pyspark.sql import SparkSession

from eventlog.postgres.connection import Connection, failure_line, server_reason
from projections.job_choice import Job, UnknownJob, find_job
from spark_jobs.errors import SparkJobError, database_errors
from spark_jobs.relations.catalogue import Catalogue

Positions: TypeAlias = Mapping[tuple[str, int], int]
"""The next offset of each log, by (stream name, incarnation): every event below it is included."""


class LogPosition(NamedTuple):
    """A log of a job, and the offset below which all of its events are in the relations."""

    job_name: str
    job_id: str
    job_bucket: int
    stream_name: str
    incarnation: int
    next_offset: int


@dataclass(frozen=True)
class OpenSnapshot:
    """The database at one moment, for the reads of one Spark session in a `with` block, in any of its threads.

    `connection` reads from it, for small queries beside Spark's reads.
    """

    id: str
    spark: SparkSession = field(repr=False)
    connection: Connection = field(repr=False, compare=False)
    logs: Sequence[LogPosition] = field(repr=False)
    catalogue: Catalogue = field(repr=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False, compare=False)

    @property
    def positions(self) -> Positions:
        """The next offset of each log, by (stream name, incarnation): every event below it is included."""
        return self.positions_of(None)

    def job(self, word: str) -> Job:
        """The job that a word names: NAME/ID, or NAME if only one job has it. Raises SparkJobError."""
        try:
            with self._lock, database_errors("the jobs", "reader"):
                return find_job(self.connection, word)
        except UnknownJob as error:
            raise SparkJobError(str(error)) from None

    def logs_of(self, job: Job | None) -> list[LogPosition]:
        """The logs of a job; of all jobs for None."""
        return [log for log in self.logs if job in (None, Job(log.job_name, log.job_id))]

    def positions_of(self, job: Job | None) -> Positions:
        """The positions of a job's logs; of all logs for None."""
        return {(log.stream_name, log.incarnation): log.next_offset for log in self.logs_of(job)}

    def ask(self, query: sql.Composed, relation: str) -> list[Any]:
        """The rows of a query for a read. Raises SparkJobError; the snapshot does not end then."""
        try:
            with self._lock, self.connection.transaction():
                return self.connection.execute(query).fetchall()
        except psycopg.Error as error:
            reason = server_reason(error) or failure_line(error)
            raise SparkJobError(f'Cannot read relation "{relation}": {reason}.') from error

    def session_statement(self) -> str:
        """The first statement of each JDBC connection, which makes it read from this snapshot.

        It begins a transaction: under autocommit, SET TRANSACTION alone has no effect on the read, which then silently
        mixes several moments (docs/spark.md). The zone is that of the times in Spark's filters; see `read_rows`.
        """
        statement = sql.SQL(
            "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET TRANSACTION SNAPSHOT {id};"
            " SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL TIME ZONE 'UTC'"
        )
        return statement.format(id=self.id).as_string()
