"""Where a job finds its database and its jar, and how it reads; credentials stay out of every text."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg.conninfo import conninfo_to_dict

from spark_jobs.errors import SparkJobError, UnsafeReadError

DATABASE_URL = "COORDSTREAM_DATABASE_URL"
FETCH_SIZE = 10_000
MOST_PARTITIONS = 8

# libpq's name of a connection option -> pgjdbc's; the rest has no counterpart there or must not cross.
JDBC_NAMES = {
    "sslmode": "sslmode",
    "sslrootcert": "sslrootcert",
    "sslcert": "sslcert",
    "sslkey": "sslkey",
    "channel_binding": "channelBinding",
    "connect_timeout": "connectTimeout",
    "options": "options",
}


@dataclass(frozen=True)
class JdbcAddress:
    """A database as JDBC names it: the URL carries no credentials, user and password travel as properties."""

    url: str
    user: str
    password: str | None = field(default=None, repr=False)

    def properties(self) -> dict[str, str]:
        """The connection properties, password included: for Spark's options only, never for a text."""
        credentials = {"user": self.user} | ({} if self.password is None else {"password": self.password})
        return {"url": self.url, "driver": "org.postgresql.Driver", **credentials}


@dataclass(frozen=True)
class ReadSettings:
    """How relations are read: the database, rows per fetch, and partitions (None: as many as cores, at most 8)."""

    database_url: str = field(repr=False)
    fetch_size: int | None = FETCH_SIZE
    partitions: int | None = None

    def rows_per_fetch(self) -> int:
        """The fetch size. Raises UnsafeReadError where it is unset: JDBC would then load the whole result at once."""
        if not self.fetch_size or self.fetch_size < 0:
            raise UnsafeReadError(
                f"A JDBC read without a fetch size loads the whole result at once: give one ({FETCH_SIZE})."
            )
        return self.fetch_size

    def partitions_for(self, cores: int) -> int:
        """Connections to open at once, given Spark's cores."""
        return self.partitions or max(1, min(cores, MOST_PARTITIONS))


def database_url(environ: Mapping[str, str], file: Path | None) -> str:
    """The database's URL, from `file` if given, else from COORDSTREAM_DATABASE_URL. Raises SparkJobError."""
    if file is not None:
        try:
            return file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise SparkJobError(
                f"The database URL cannot be read from {file}: make it a readable text file."
            ) from error
    if url := environ.get(DATABASE_URL):
        return url
    raise SparkJobError(f"No database is named: set {DATABASE_URL}, or give --database-url-file FILE.")


def jdbc_address(url: str) -> JdbcAddress:
    """Translate a libpq URL (and libpq's environment, such as PGPASSWORD) for pgjdbc.

    Raises SparkJobError where the URL cannot be read or names a Unix socket, which JDBC cannot use.
    """
    options = _connection_options(url)
    hosts = (options.get("host") or "localhost").split(",")
    if any(host.startswith(("/", "@")) for host in hosts):
        raise SparkJobError("Spark reaches Postgres over TCP only: name a host in the database URL, not a Unix socket.")
    ports = [port or "5432" for port in options.get("port", "").split(",")]
    ports = ports * len(hosts) if len(ports) == 1 else ports
    places = ",".join(f"{_bracketed(host)}:{port}" for host, port in zip(hosts, ports, strict=True))
    passed = [f"{jdbc}={quote(options[name], safe='')}" for name, jdbc in JDBC_NAMES.items() if options.get(name)]
    query = "&".join([*passed, "ApplicationName=coordstream-spark"])
    database = quote(options.get("dbname") or options["user"], safe="")
    return JdbcAddress(f"jdbc:postgresql://{places}/{database}?{query}", options["user"], options.get("password"))


def _connection_options(url: str) -> dict[str, str]:
    defaults = {d.keyword.decode(): d.val.decode() for d in psycopg.pq.Conninfo.get_defaults() if d.val}
    try:
        given = conninfo_to_dict(url)
    except psycopg.ProgrammingError as error:  # its text may quote a part of the password, so it is not passed on
        problem = "The database URL cannot be read: write postgresql://user:password@host:port/name, "
        raise SparkJobError(problem + "with special characters of the password percent-encoded.") from error
    return defaults | {name: str(value) for name, value in given.items() if value is not None}


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
