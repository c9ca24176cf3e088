"""A snapshot of the database that several connections share."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import LiteralString, NamedTuple, TypeAlias

import psycopg
from psycopg import sql
from psycopg.rows import TupleRow

from eventlog.postgres.connection import connect
from projections.job_choice import Job
from spark_jobs.errors import database_errors

LOGS: LiteralString = (
    "SELECT job_name, job_id, job_bucket, stream_name, incarnation, next_offset FROM coordinator.log_position"
)

# Spark may wait long between two fetches. transaction_timeout exists since Postgres 17.
NO_TIMEOUTS: LiteralString = (
    "SELECT set_config(name, '0', true) FROM pg_catalog.pg_settings"
    " WHERE name IN ('idle_in_transaction_session_timeout', 'transaction_timeout')"
)


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
class Snapshot:
    """The database at one moment. `connection` reads from it, for small queries beside Spark's reads."""

    id: str
    logs: Sequence[LogPosition]
    connection: psycopg.Connection[TupleRow] = field(repr=False, compare=False)

    def jobs(self) -> set[Job]:
        return {Job(log.job_name, log.job_id) for log in self.logs}

    def logs_of(self, job: Job | None) -> list[LogPosition]:
        """The logs of a job; of all jobs for None."""
        return [log for log in self.logs if job in (None, Job(log.job_name, log.job_id))]

    def positions_of(self, job: Job | None) -> Positions:
        """The positions of a job's logs; of all logs for None."""
        return {(log.stream_name, log.incarnation): log.next_offset for log in self.logs_of(job)}

    def session_statement(self) -> str:
        """The first statement of each JDBC connection, which makes it read from this snapshot.

        It begins a transaction: under autocommit, SET TRANSACTION alone has no effect on the read, which then silently
        mixes several moments (docs/spark.md). The zone is that of the times in Spark's filters; see `read_rows`.
        """
        statement = sql.SQL(
            "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET TRANSACTION SNAPSHOT {id};"
            " SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL TIME ZONE 'UTC'"
        )
        return statement.format(id=sql.Literal(self.id)).as_string(self.connection)


@contextmanager
def exported_snapshot(database_url: str) -> Iterator[Snapshot]:
    """Export a snapshot and keep it open. Every Spark action that uses it must finish inside the block.

    An open snapshot holds back vacuum. It needs a direct connection, or a pooler in session mode. Raises SparkJobError
    if the database is unreachable or has no coordstream schema.
    """
    with database_errors("the relations", "reader"):
        connection = connect(database_url, application_name="coordstream spark snapshot")
    with connection:
        yield _export(connection)


def _export(connection: psycopg.Connection[TupleRow]) -> Snapshot:
    with database_errors("the relations", "reader"):
        connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        connection.execute(NO_TIMEOUTS)
        (snapshot_id,) = connection.execute("SELECT pg_catalog.pg_export_snapshot()").fetchall()[0]
        logs = [LogPosition(*row) for row in connection.execute(LOGS).fetchall()]
    return Snapshot(snapshot_id, logs, connection)
