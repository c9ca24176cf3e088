"""Consistent reads over JDBC: a shared snapshot, the address, Spark's options, and which connections read which rows.

No text contains credentials.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Final, LiteralString, NamedTuple, TypeAlias
from urllib.parse import quote

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import TupleRow
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructField, TimestampType

from eventlog.postgres.connection import connect
from projections.job_choice import Job
from spark_jobs.errors import SparkJobError, database_errors
from spark_jobs.session import count_cores
from spark_jobs.timestamps import LAST_TIMESTAMPTZ

FETCH_SIZE: Final = 10_000
"""Without one, the driver would load a whole result into memory."""

MOST_PARTITIONS: Final = 8
CATALOG: Final = "spark.sql.catalog.coordinator"

INSTANTS: Final = "spark.sql.datetime.java8API.enabled"
"""The setting with which Spark writes times in pushed filters in the session's zone instead of the JVM's."""

UTC_NAMES: Final = ("UTC", "Etc/UTC", "GMT", "Z", "+00:00")

_TIME: Final = sql.SQL("CASE WHEN r.{column} <= {last}::timestamptz THEN r.{column} END AS {column}")
_COLUMN: Final = sql.SQL("r.{column}")

# libpq's connection options -> pgjdbc's. Options without a counterpart are dropped.
JDBC_NAMES = {
    "sslmode": "sslmode",
    "sslrootcert": "sslrootcert",
    "sslcert": "sslcert",
    "sslkey": "sslkey",
    "channel_binding": "channelBinding",
    "connect_timeout": "connectTimeout",
    "options": "options",
    "sslfactory": "sslfactory",  # only in `_SYSTEM_ROOTS`
}
_SYSTEM_ROOTS: Final = {
    "sslmode": "verify-full",
    "sslrootcert": "",
    "sslfactory": "org.postgresql.ssl.DefaultJavaSSLFactory",
}
"""What corresponds to libpq's ``sslrootcert=system``: the certificates that Java trusts, and no weaker check."""
# Without keepalives, a task waits forever for a server that has vanished.
FIXED = "tcpKeepAlive=true&ApplicationName=coordstream%20spark"
# values of target_session_attrs -> targetServerType, where these differ
JDBC_SERVERS = {
    "read-write": "primary",
    "read-only": "secondary",
    "standby": "secondary",
    "prefer-standby": "preferSecondary",
}


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


@dataclass(frozen=True)
class Relation:
    """Columns of a relation in schema `coordinator`.

    `source`: the rest of a SELECT after FROM, in which the relation is `r`. None: all of its rows. `times`: the columns
    whose values Spark may not be able to represent.
    """

    name: str
    columns: tuple[str, ...]
    source: sql.Composed | None = None
    times: Collection[str] = ()

    def query(self, also: Sequence[str] = ()) -> sql.Composed:
        """The SELECT statement, which returns the columns `also` too; times that Spark cannot represent are null."""
        forms = [(_TIME if name in self.times else _COLUMN, name) for name in self.columns]
        columns = [form.format(column=sql.Identifier(name), last=LAST_TIMESTAMPTZ) for form, name in forms]
        names = [*columns, *map(sql.Identifier, also)]
        source = self.source or sql.SQL("{} AS r").format(sql.Identifier("coordinator", self.name))
        return sql.SQL("SELECT {} FROM {}").format(sql.SQL(", ").join(names), source)


def ranges(column: str, lowest: int, highest: int, count: int) -> Mapping[str, str]:
    """Spark's options for ``count`` partitions: equal ranges of an integer column. The outer ones have no outer bound.

    Empty for a single partition.
    """
    if count <= 1:
        return {}
    bounds = {"lowerBound": str(lowest), "upperBound": str(highest + 1)}
    return {"partitionColumn": column, "numPartitions": str(count), **bounds}


def read_rows(
    spark: SparkSession, url: str, relation: Relation, snapshot: Snapshot, parts: Mapping[str, str]
) -> DataFrame:
    """The rows as a lazy DataFrame: every action, which must finish while the snapshot is open, sees the snapshot.

    ``parts`` are the options of `ranges`, whose column need not be among the rows' columns.
    """
    column = parts.get("partitionColumn")
    query = relation.query(() if column is None or column in relation.columns else (column,))
    options = {
        **jdbc_properties(url),
        "dbtable": sql.SQL("({query}) AS relation").format(query=query).as_string(),
        "fetchsize": str(FETCH_SIZE),
        "sessionInitStatement": snapshot.session_statement(),
        **parts,
    }
    frame = spark.read.format("jdbc").options(**options).load().select(*relation.columns)
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


def choose_partitions(spark: SparkSession) -> int:
    """The number of connections of a large read: one per core, at most 8."""
    return max(1, min(count_cores(spark), MOST_PARTITIONS))


def jdbc_properties(url: str) -> dict[str, str]:
    """Spark's options for the database of a libpq URL (and libpq's environment, such as PGPASSWORD).

    They contain the password, which is not part of the URL: pass them to Spark only. Raises SparkJobError for an
    invalid URL, and for what JDBC cannot use: a Unix socket, or a service of libpq.
    """
    options = _connection_options(url)
    if options.get("sslrootcert") == "system":
        options |= _SYSTEM_ROOTS
    hosts, ports = _hosts(options), options.get("port", "").split(",")
    each = zip(hosts, ports * len(hosts) if len(ports) == 1 else ports, strict=False)  # libpq has compared the numbers
    places = ",".join(f"{_bracketed(host)}:{port or 5432}" for host, port in each)
    passed = [f"{jdbc}={quote(options[name], safe='')}" for name, jdbc in JDBC_NAMES.items() if options.get(name)]
    wanted = options.get("target_session_attrs") or "any"
    query = "&".join([*passed, f"targetServerType={JDBC_SERVERS.get(wanted, wanted)}", FIXED])
    database = quote(options.get("dbname") or options["user"], safe="")
    credentials = {name: value for name, value in options.items() if name in ("user", "password")}
    return {"url": f"jdbc:postgresql://{places}/{database}?{query}", "driver": "org.postgresql.Driver", **credentials}


def register_catalog(spark: SparkSession, url: str) -> None:
    """Make the schema `coordinator` of a database a catalog of this name, of Spark's own JDBC catalog.

    The password is a setting of the session. Times in filters are in the zone of the session, and so of the connections
    in UTC: only a session in UTC compares them exactly.
    """
    properties = jdbc_properties(url)
    settings = {
        **properties,
        "url": f"{properties['url']}&currentSchema=coordinator",
        "fetchsize": str(FETCH_SIZE),
        "sessionInitStatement": "SET TIME ZONE 'UTC'",
    }
    spark.conf.set(CATALOG, "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog")
    for name, value in settings.items():
        spark.conf.set(f"{CATALOG}.{name}", value)


def _connection_options(url: str) -> dict[str, str]:
    defaults = {d.keyword.decode(): d.val.decode() for d in psycopg.pq.Conninfo.get_defaults() if d.val}
    try:
        given = conninfo_to_dict(url)
    except psycopg.ProgrammingError as error:  # its message may contain a part of the password
        problem = "Invalid database URL. Expected postgresql://user:password@host:port/name, "
        raise SparkJobError(problem + "with special characters of the password percent-encoded.") from error
    service = given.get("service", defaults.get("service"))
    if service and not given.keys() & {"host", "hostaddr"}:
        raise SparkJobError(
            f"JDBC does not read the file of services, which has the host of the service '{service}'."
            " Name the host, port and database in the database URL."
        )
    return defaults | {name: str(value) for name, value in given.items() if value is not None}


def _hosts(options: Mapping[str, str]) -> list[str]:
    """The hosts to connect to: as in libpq, an address precedes the name that it is given for.

    JDBC compares a certificate with what it connects to, so that a name to be verified precedes its address.
    """
    names, addresses = (options.get(name, "").split(",") for name in ("host", "hostaddr"))
    first, second = (names, addresses) if options.get("sslmode") == "verify-full" else (addresses, names)
    hosts = [one or other or "localhost" for one, other in zip_longest(first, second)]
    if any(host.startswith(("/", "@")) for host in hosts):
        raise SparkJobError("Spark connects over TCP only. Use a host in the database URL instead of a Unix socket.")
    return hosts


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
