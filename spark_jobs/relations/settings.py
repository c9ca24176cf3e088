"""The database of a job and how to read it. No text contains credentials."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg.conninfo import conninfo_to_dict

from spark_jobs.errors import SparkJobError, UnsafeReadError

DATABASE_URL = "COORDSTREAM_DATABASE_URL"
FETCH_SIZE = 10_000

# libpq's connection options -> pgjdbc's. Options without a counterpart are dropped.
JDBC_NAMES = {
    "sslmode": "sslmode",
    "sslrootcert": "sslrootcert",
    "sslcert": "sslcert",
    "sslkey": "sslkey",
    "channel_binding": "channelBinding",
    "connect_timeout": "connectTimeout",
    "options": "options",
}
# Without keepalives, a task waits forever for a server that has vanished.
FIXED = "tcpKeepAlive=true&ApplicationName=coordstream%20spark"
# values of target_session_attrs -> targetServerType
JDBC_SERVERS = {
    "any": "any",
    "read-write": "primary",
    "primary": "primary",
    "read-only": "secondary",
    "standby": "secondary",
    "prefer-standby": "preferSecondary",
}


@dataclass(frozen=True)
class JdbcAddress:
    """A database for JDBC. User and password are properties, not part of the URL."""

    url: str
    user: str
    password: str | None = field(default=None, repr=False)

    def properties(self) -> dict[str, str]:
        """The connection properties, including the password: pass them to Spark only."""
        credentials = {"user": self.user} | ({} if self.password is None else {"password": self.password})
        return {"url": self.url, "driver": "org.postgresql.Driver", **credentials}


@dataclass(frozen=True)
class ReadSettings:
    """How to read relations: the database, rows per fetch, and partitions (None: one per core, at most 8)."""

    database_url: str = field(repr=False)
    fetch_size: int | None = FETCH_SIZE
    partitions: int | None = None

    def rows_per_fetch(self) -> int:
        """The fetch size. Raises UnsafeReadError if it is unset: JDBC would load the whole result at once."""
        if not self.fetch_size or self.fetch_size < 0:
            raise UnsafeReadError(
                f"A JDBC read without a fetch size loads the whole result at once. Set one, for example {FETCH_SIZE}."
            )
        return self.fetch_size


def database_url(environ: Mapping[str, str], file: Path | None) -> str:
    """The database URL, from `file` if given, else from COORDSTREAM_DATABASE_URL. Raises SparkJobError."""
    if file is not None:
        try:
            return file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise SparkJobError(
                f"Cannot read the database URL from '{file}'. Expected a readable text file."
            ) from error
    if url := environ.get(DATABASE_URL):
        return url
    raise SparkJobError(f"No database URL. Set {DATABASE_URL}, or use --database-url-file FILE.")


def jdbc_address(url: str) -> JdbcAddress:
    """Translate a libpq URL (and libpq's environment, such as PGPASSWORD) for pgjdbc.

    Raises SparkJobError for an invalid URL, and for what JDBC cannot use: a Unix socket, or a service of libpq.
    """
    options = _connection_options(url)
    hosts = _hosts(options)
    ports = options.get("port", "").split(",")
    ports = ports * len(hosts) if len(ports) == 1 else ports
    if len(ports) != len(hosts):
        raise SparkJobError(
            f"Different numbers of hosts ({len(hosts)}) and ports ({len(ports)}) in the database URL."
            " Expected one port, or one for each host."
        )
    places = ",".join(f"{_bracketed(host)}:{port or 5432}" for host, port in zip(hosts, ports, strict=True))
    passed = [f"{jdbc}={quote(options[name], safe='')}" for name, jdbc in JDBC_NAMES.items() if options.get(name)]
    query = "&".join([*passed, f"targetServerType={_server_type(options)}", FIXED])
    database = quote(options.get("dbname") or options["user"], safe="")
    return JdbcAddress(f"jdbc:postgresql://{places}/{database}?{query}", options["user"], options.get("password"))


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
    if options.get("host") and options.get("hostaddr") and len(names) != len(addresses):
        raise SparkJobError(
            f"Different numbers of host ({len(names)}) and hostaddr ({len(addresses)}) in the database URL."
            " Expected an address for each host."
        )
    first, second = (names, addresses) if options.get("sslmode") == "verify-full" else (addresses, names)
    hosts = [one or other or "localhost" for one, other in zip_longest(first, second)]
    if any(host.startswith(("/", "@")) for host in hosts):
        raise SparkJobError("Spark connects over TCP only. Use a host in the database URL instead of a Unix socket.")
    return hosts


def _server_type(options: Mapping[str, str]) -> str:
    wanted = options.get("target_session_attrs") or "any"
    if wanted not in JDBC_SERVERS:
        known = ", ".join(JDBC_SERVERS)
        raise SparkJobError(f"Invalid target_session_attrs '{wanted}' in the database URL. Expected one of {known}.")
    return JDBC_SERVERS[wanted]


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
