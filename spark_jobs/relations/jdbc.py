"""Reads over JDBC: the address, and Spark's options. No text contains credentials."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple
from urllib.parse import quote

from psycopg import sql
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructField, TimestampType

from eventlog.postgres.connection import Connection
from spark_jobs.errors import SparkJobError
from spark_jobs.timestamps import LAST_TIMESTAMPTZ

FETCH_SIZE: Final = 2_000
"""Without one, the driver would load a whole result into memory. With 10,000, a read took 1.1 times as long."""

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


class Relation(NamedTuple):
    """Columns of a relation in schema `coordinator`.

    `source`: the rest of a SELECT after FROM, in which the relation is `r`. `times`: the columns whose values Spark may
    not be able to represent. `bucket`: the column of the source that divides it into whole jobs.
    """

    columns: Sequence[str]
    source: sql.Composed
    times: Collection[str] = ()
    bucket: str = "job_bucket"

    def query(self, also: Collection[str] = ()) -> sql.Composed:
        """The SELECT statement, which returns the columns `also` too; times that Spark cannot represent are null."""
        forms = [(_TIME if name in self.times else _COLUMN, name) for name in self.columns]
        columns = [form.format(column=sql.Identifier(name), last=LAST_TIMESTAMPTZ) for form, name in forms]
        names = [*columns, *map(sql.Identifier, also)]
        return sql.SQL("SELECT {} FROM {}").format(sql.SQL(", ").join(names), self.source)


def read_rows(
    spark: SparkSession,
    connection: Connection,
    relation: Relation,
    session_statement: str,
    column: str,
    bounds: Sequence[int],
) -> DataFrame:
    """The rows as a lazy DataFrame, which opens connections like this one, and executes the statement first.

    Each partition has a range of an integer column, which need not be among the rows' columns. ``bounds`` are the first
    values of all ranges but the lowest, which also has the rows without a value.
    """
    also = () if not bounds or column in relation.columns else (column,)
    lower = ["true", *(f"{column} >= {bound}" for bound in bounds)]
    upper = [*(f"{column} < {bound}" for bound in bounds), "true"]
    ranges = [f"({first} and {last})" for first, last in zip(lower, upper, strict=True)]
    properties = {
        **jdbc_properties(connection),
        "fetchsize": str(FETCH_SIZE),
        "prepareThreshold": "-1",  # the driver then reads values in binary form, which it parses faster
        "sessionInitStatement": session_statement,
    }
    table = sql.SQL("({query}) AS relation").format(query=relation.query(also)).as_string()
    ranges[0] += f" or {column} is null" if bounds else ""
    frame = spark.read.jdbc(properties.pop("url"), table, predicates=ranges, properties=properties)
    sends_instants = spark.conf.get(INSTANTS) == "true"
    return frame.selectExpr(*(_with_exact_filters(frame.schema[name], sends_instants) for name in relation.columns))


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


def jdbc_properties(connection: Connection) -> dict[str, str]:
    """Spark's options for the server of a connection, whatever libpq took its address and options from.

    They contain the password, which is not part of the URL: pass them to Spark only. Raises SparkJobError for a
    connection over a Unix socket, which JDBC cannot use.
    """
    options = {each.keyword.decode(): each.val.decode() for each in connection.pgconn.info if each.val}
    info = connection.info
    return translate(options | {"host": info.host, "port": str(info.port), "password": info.password})


def translate(options: Mapping[str, str]) -> dict[str, str]:
    """Spark's options for libpq's options of one server."""
    # JDBC compares a certificate with what it connects to, so that a name to be verified precedes its address
    names = ("host", "hostaddr") if options.get("sslmode") == "verify-full" else ("hostaddr", "host")
    host = next(found for name in names if (found := options.get(name)))
    if host.startswith(("/", "@")):
        raise SparkJobError("Spark connects over TCP only. Use a host in the database URL instead of a Unix socket.")
    known = {**options, **_SYSTEM_ROOTS} if options.get("sslrootcert") == "system" else options
    passed = [f"{jdbc}={quote(known[name], safe='')}" for name, jdbc in JDBC_NAMES.items() if known.get(name)]
    place = f"[{host}]" if ":" in host else host
    url = (
        f"jdbc:postgresql://{place}:{options['port']}/{quote(options['dbname'], safe='')}?{'&'.join([*passed, FIXED])}"
    )
    credentials = {name: options[name] for name in ("user", "password") if options.get(name)}
    return {"url": url, "driver": "org.postgresql.Driver", **credentials}


def register_catalog(spark: SparkSession, connection: Connection) -> None:
    """Make the schema `coordinator` of a connection's database a catalog of this name, of Spark's own JDBC catalog.

    The password is a setting of the session. Times in filters are in the zone of the session, and so of the connections
    in UTC: only a session in UTC compares them exactly.
    """
    properties = jdbc_properties(connection)
    settings = {
        **properties,
        "url": f"{properties['url']}&currentSchema=coordinator&readOnly=true&readOnlyMode=always",
        "fetchsize": str(FETCH_SIZE),
        "sessionInitStatement": "SET TIME ZONE 'UTC'",
    }
    spark.conf.set(CATALOG, "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog")
    for name, value in settings.items():
        spark.conf.set(f"{CATALOG}.{name}", value)
