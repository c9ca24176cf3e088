"""Creates the partitions of a log while its transaction is open."""

from collections.abc import Iterable
from functools import partial
from typing import Final

from psycopg import sql

from eventlog.postgres.connection import connect
from eventlog.postgres.table_partitions import partition_name
from projections.projector import LogPartitions, MakeProjector, Projector
from spark_jobs.log_task import LogTaskSession

_TABLES: Final = (("eventlog", "event"), ("projection", "checkpoint_event"))
_SIZE: Final = "select pg_relation_size(to_regclass(%s))"
_LOCK: Final = sql.SQL("lock table {} in access share mode")


class SeparatePartitions(LogPartitions):
    """Creates them over another connection: in the transaction of a log, they would block other tasks until its end."""

    def __init__(self, session: LogTaskSession) -> None:
        super().__init__(session.connection)
        self._database_url = session.settings.database_url

    def make(self, firsts: Iterable[int]) -> None:
        missing = [first for first in firsts if not all(self._has(*table, first) for table in _TABLES)]
        if not missing:
            return
        with connect(self._database_url, application_name="coordstream spark partitions") as other:
            LogPartitions(other).make(missing)
        for first in missing:
            for schema, table in _TABLES:
                self._connection.execute(_LOCK.format(sql.Identifier(schema, partition_name(table, first))))

    def _has(self, schema: str, table: str, first: int) -> bool:
        """Whether a partition exists.

        Size and lock do not matter: a session accepts what other sessions have changed when it opens a table that it
        has not locked before. Otherwise it might still route rows to the partitions that it knew.
        """
        return self._connection.execute(_SIZE, (f"{schema}.{partition_name(table, first)}",)).fetchone() != (None,)


def replay_projector(session: LogTaskSession) -> MakeProjector:
    """Makes projectors for a transaction of several batches."""
    return partial(Projector, partitions=SeparatePartitions(session))
