"""The place of the streams: the Kafka brokers of the settings, or else the database.

kafka-python takes a quarter of a second to load, so it is loaded only if brokers are set.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Final
from uuid import uuid4

import typer

from coordstream.database import database_errors, open_database
from coordstream.errors import CoordstreamError
from coordstream.settings import Settings, load_settings
from eventlog.errors import known_names
from eventlog.kafka.options import KafkaOptions, require_brokers
from eventlog.log import EventLog
from eventlog.postgres.connection import Connection
from eventlog.postgres.log import PostgresEventLog
from eventlog.postgres.source import PostgresSource
from eventlog.source import EventSource
from eventlog.streams import BROKER_DEFAULT, StreamIdentity, identify
from projections.job_choice import NO_LOGS
from projections.tracked_logs import TrackedLog, logs_of


def create_log(stream_name: str, kind: str | None, replication_factor: int | None) -> str:
    """Create an empty stream and say where; ``replication_factor`` None means the default of the brokers.

    Raises:
        EventLogError: the stream exists, the brokers do not answer, or its kind is unknown.
    """
    stream = identify(stream_name, kind)
    options = load_settings().kafka
    if options is not None:
        return _create_topic(options, stream, replication_factor)
    if replication_factor is not None:
        raise typer.BadParameter(
            "--replication-factor needs Kafka brokers, and COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS is not set."
        )
    with open_database() as database:
        PostgresEventLog.create(database.connection, stream).close()
    return "in Postgres"


@contextmanager
def open_log(stream_name: str, kind: str | None, *, takes_many: bool) -> Iterator[EventLog]:
    """The log of a stream, to append to it. Raises EventLogError if the stream does not exist.

    ``takes_many``: more events may be appended at once than fit into one Kafka batch; a transaction joins them.
    """
    options = load_settings().kafka
    if options is not None:
        from eventlog.kafka.log import KafkaEventLog  # noqa: PLC0415

        own_id = f"coordstream-append-{uuid4()}" if takes_many else None  # unique: it fences no other producer
        with KafkaEventLog(options, identify(stream_name, kind), transactional_id=own_id) as topic:
            yield topic
        return
    with open_database() as database, PostgresEventLog(database.connection, stream_name) as log:
        yield log


@contextmanager
def open_source() -> Iterator[EventSource]:
    """All streams of the brokers, or else of the database, whose errors are raised as `DatabaseError`."""
    settings, url = load_settings(), ""
    if settings.kafka is None:
        with open_database() as database:
            url = database.url
    with database_errors(settings), source_of(settings, url) as source:
        yield source


@contextmanager
def open_topics() -> Iterator[EventSource]:
    """All streams of the brokers of the settings.

    Raises:
        BrokersMissing: no brokers are set.
        SourceUnavailable: none answers.
    """
    settings = load_settings()
    require_brokers(settings.kafka)
    with source_of(settings, "") as topics:
        _ = topics.cluster_id  # one error, rather than one for each stream
        yield topics


@contextmanager
def source_of(settings: Settings, database_url: str) -> Iterator[EventSource]:
    """All streams of the brokers of the settings, or else of the database. Connects at the first call."""
    if settings.kafka is None:
        with PostgresSource(database_url) as logs:
            yield logs
        return
    from eventlog.kafka.source import KafkaSource  # noqa: PLC0415

    with KafkaSource(settings.kafka) as topics:
        yield topics


def _create_topic(options: KafkaOptions, stream: StreamIdentity, replication_factor: int | None) -> str:
    from eventlog.kafka.admin import KafkaAdmin  # noqa: PLC0415

    with KafkaAdmin(options) as admin:
        copies = BROKER_DEFAULT if replication_factor is None else replication_factor
        admin.create_stream(stream, replication_factor=copies)
    return f"on {options.place}"


_IS_UNREAD: Final = "select from projection.unread_log where stream_name = %s"


def find_log(connection: Connection, stream_name: str, incarnation: int | None = None) -> TrackedLog:
    """The log of a stream's incarnation; None means the current one.

    Raises:
        CoordstreamError: the stream or the incarnation is unknown, or no follower has read the stream yet.
    """
    known = logs_of(connection, stream_name)
    if not known:
        if connection.execute(_IS_UNREAD, (stream_name,)).fetchone() is not None:
            raise CoordstreamError(
                f"{stream_name} has not been followed yet. Run `coordstream follow {stream_name} --once` first."
            )
        raise unknown_stream(stream_name, _names(connection))
    for log in known:
        if log.incarnation == incarnation or (incarnation is None and log.is_current):
            return log
    numbers = ", ".join(str(log.incarnation) for log in reversed(known))
    raise CoordstreamError(f"Stream '{stream_name}' has no incarnation {incarnation}. Known incarnations: {numbers}.")


def unknown_stream(stream_name: str, names: Collection[str]) -> CoordstreamError:
    """An error that lists the known streams."""
    if not names:
        return CoordstreamError(NO_LOGS)
    return CoordstreamError(f"No stream {stream_name!r}.{known_names('streams', stream_name, sorted(names))}")


def _names(connection: Connection) -> list[str]:
    rows = connection.execute("select distinct stream_name from projection.job_log").fetchall()
    return [name for (name,) in rows]
