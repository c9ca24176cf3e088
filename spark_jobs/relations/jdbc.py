"""Reads over JDBC: the address, and Spark's options. No text contains credentials."""

from collections.abc import Collection, Mapping, Sequence
from itertools import zip_longest
from typing import Final, NamedTuple
from urllib.parse import quote

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructField, TimestampType

from spark_jobs.errors import SparkJobError
from spark_jobs.timestamps import LAST_TIMESTAMPTZ

FETCH_SIZE: Final = 10_000
"""Without one, the driver would load a whole result into memory."""

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


class Relation(NamedTuple):
    """Columns of a relation in schema `coordinator`.

    `source`: the rest of a SELECT after FROM, in which the relation is `r`. `times`: the columns whose values Spark may
    not be able to represent.
    """

    columns: Sequence[str]
    source: sql.Composed
    times: Collection[str] = ()

    def query(self, also: Collection[str] = ()) -> sql.Composed:
        """The SELECT statement, which returns the columns `also` too; times that Spark cannot represent are null."""
        forms = [(_TIME if name in self.times else _COLUMN, name) for name in self.columns]
        columns = [form.format(column=sql.Identifier(name), last=LAST_TIMESTAMPTZ) for form, name in forms]
        names = [*columns, *map(sql.Identifier, also)]
        return sql.SQL("SELECT {} FROM {}").format(sql.SQL(", ").join(names), self.source)


def read_rows(
    spark: SparkSession, url: str, relation: Relation, session_statement: str, column: str, bounds: Sequence[int]
) -> DataFrame:
    """The rows as a lazy DataFrame, in whose connections the statement is executed first.

    Each partition has a range of an integer column, which need not be among the rows' columns. ``bounds`` are the first
    values of all ranges but the lowest, which also has the rows without a value.
    """
    also = () if not bounds or column in relation.columns else (column,)
    lower = ["true", *(f"{column} >= {bound}" for bound in bounds)]
    upper = [*(f"{column} < {bound}" for bound in bounds), "true"]
    ranges = [f"({first} and {last})" for first, last in zip(lower, upper, strict=True)]
    properties = {
        **jdbc_properties(url),
        "fetchsize": str(FETCH_SIZE),
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
