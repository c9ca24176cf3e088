"""`coordstream log`: the events on a stream, and streams themselves."""

import sys
from collections import deque
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Annotated, Final

import typer

from coordstream.cli.arguments import (
    MOST,
    STANDARD_INPUT,
    Json,
    Kind,
    Since,
    Stream,
    Until,
    count_option,
    offset_option,
    parse_replicas,
)
from coordstream.cli.job_selection import find_log, unknown_stream
from coordstream.cli.output import Column, exact_time_column, json_text, print_result, print_rows
from coordstream.database import Database, open_database
from coordstream.errors import CoordstreamError
from coordstream.event_logs import create_log, open_log, open_source
from coordstream.queries.rows import Row, printable
from coordstream.settings import load_settings
from coordstream.times import exact
from eventlog.errors import EventLogError
from eventlog.events import NewEvent, RecordedEvent
from eventlog.log import EventLog
from eventlog.masked_event import mask_event
from eventlog.postgres.archive import read_archive
from eventlog.postgres.connection import Connection
from eventlog.recording import read_recording
from eventlog.secret_policy import SecretPolicy, holds_fingerprint
from eventlog.streams import BROKER_DEFAULT, identify
from eventlog.timestamps import ms_of, time_of
from managers.wrapped_logs import split_into_parts
from projections.retired_streams import known_streams, retire_streams
from projections.tracked_logs import TrackedLog

app = typer.Typer()

PAGE_EVENTS: Final = 10_000
POLL_SECONDS: Final = 1.0
FOLLOWED_FIRST: Final = 10
FOLLOWED_RANGE: Final = 1_000
"""How many of the newest events `--follow` shows before new ones, and from how many offsets: compaction leaves gaps."""

_BEFORE: Final = "select cut from projection.log_cut(%s, %s - interval '1 microsecond')"


def _shown_value(row: Row) -> str | None:
    return "(tombstone)" if row["operation"] == "delete" else row["value"]


_COLUMNS: Final = (
    Column("offset", "log_offset", "right"),
    exact_time_column("time", "record_time"),
    Column("key", "key"),
    Column("value", _shown_value),
)


@app.command()
def show(
    stream: Stream,
    first: Annotated[int, offset_option("--from", help="First offset.")] = 0,
    last: Annotated[int | None, offset_option("--to", help="Last offset (default: the newest).")] = None,
    limit: Annotated[int | None, count_option(help="Show at most this many events (default: 100).")] = None,
    since: Since = None,
    until: Until = None,
    follow: Annotated[
        bool,
        typer.Option(
            "--follow",
            help="Show the newest events of the stream itself, then new ones as they are appended, until Ctrl-C. With "
            "--json, each event is an object on one line.",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Show the archived events of a stream, with fingerprints in place of secrets.

    Example: coordstream log show __samza_coordinator_wordcount_1 --since '2 hours ago'
    """
    if follow:
        if first or (last, limit, since, until) != (None,) * 4:
            raise typer.BadParameter("'--follow' can be used with '--json' only.")
        _follow(stream, as_json=as_json)
        return
    if last is not None and first > last:
        raise typer.BadParameter("'--from' is after '--to'.")
    with open_database() as database:
        log = find_log(database.connection, stream)
        most = limit or 100
        rows = _events(database, log, (first, MOST if last is None else last), (since, until), most + 1)
        print_rows(islice(rows, most), _COLUMNS, title=stream, as_json=as_json)
        more = next(rows, None)
    if more is not None:
        print(f"There are more events. Continue with --from {more['log_offset']}.", file=sys.stderr)


@app.command()
def create(
    stream: Annotated[str, typer.Argument(metavar="STREAM", help="Its name, for example __samza_coordinator_JOB_1.")],
    kind: Kind = None,
    replication_factor: Annotated[
        int | None,
        typer.Option(
            metavar="N", parser=parse_replicas, help="Replicas of the topic (default: as configured on the brokers)."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Create an empty stream: a topic with Samza's settings if brokers are set, else a log in Postgres.

    Example: coordstream log create __samza_coordinator_orders_1
    """
    if replication_factor is not None and load_settings().kafka is None:
        raise typer.BadParameter(
            "--replication-factor needs Kafka brokers, and COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS is not set."
        )
    place = create_log(identify(stream, kind), replication_factor or BROKER_DEFAULT)
    print_result([{"stream_name": stream, "place": place}], f"{stream} created {place}", as_json=as_json)


@app.command()
def append(
    stream: Stream,
    key: Annotated[
        str | None, typer.Option(metavar="KEY", help='The key, for example \'[1,"set-config","a"]\'.')
    ] = None,
    value: Annotated[
        str | None, typer.Option(metavar="VALUE", help="The value. Other users can see it in the list of processes.")
    ] = None,
    tombstone: Annotated[bool, typer.Option("--tombstone", help="Delete the key instead of setting a value.")] = False,
    from_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A recording: append its records of the stream. - is standard input."),
    ] = None,
    kind: Kind = None,
    as_json: Json = False,
) -> None:
    """Append one event, or the records of a recording, byte for byte, and print their offsets.

    Example: coordstream log append __samza_coordinator_orders_1 --key '[1,"set-config","a"]' --tombstone
    """
    if from_file is None:
        events = [_one_event(key, value, tombstone)]
    elif key is not None or value is not None or tombstone:
        raise typer.BadParameter("--from-file cannot be used with --key, --value or --tombstone.")
    else:
        events = _events_of(stream, from_file)
    _refuse_fingerprints(events)
    with open_log(stream, kind) as log:
        offsets = _append(log, events)
    row = {"stream_name": stream, "first_offset": offsets.start, "next_offset": offsets.stop}
    places = f"offset {offsets.start}" if len(offsets) == 1 else f"offsets {offsets.start} to {offsets.stop - 1}"
    print_result([row], f"{stream}: {places}", as_json=as_json)


@app.command()
def retire(
    streams: Annotated[list[str], typer.Argument(metavar="STREAM", help="The streams of a deleted job.")],
    as_json: Json = False,
) -> None:
    """Stop reporting these streams as not followed, for example after their job was deleted. Their logs stay.

    `status` shows a retired stream without a fault. Following or importing it ends its retirement.

    Example: coordstream log retire __samza_coordinator_orders_1
    """
    with open_database(lifts_timeouts=True) as database:
        known = known_streams(database.connection)
        for name in streams:
            if name not in known:
                raise unknown_stream(name, known)
        retire_streams(database.connection, streams)
    rows = [{"stream_name": name, "is_retired": True} for name in dict.fromkeys(streams)]
    print_result(rows, "\n".join(f"{row['stream_name']} is retired." for row in rows), as_json=as_json)


def _append(log: EventLog, events: list[NewEvent]) -> range:
    """Append all events or none; on a topic in parts that it accepts, and an error says which were appended."""
    if log.has_conditional_append:
        return log.append(events)
    done: list[range] = []
    try:
        for part in split_into_parts(events):
            done.append(log.append(part))  # noqa: PERF401 (what was appended before an error counts)
    except EventLogError as error:
        if not done:
            raise
        count, last = sum(map(len, done)), done[-1].stop - 1
        places = f"Events 1 to {count} of {len(events)} were appended, at offsets {done[0].start} to {last}."
        raise CoordstreamError(f"{places} {error}") from error
    return range(done[0].start, done[-1].stop)


def _events(
    database: Database,
    log: TrackedLog,
    offsets: tuple[int, int],
    times: tuple[datetime | None, datetime | None],
    page: int,
) -> Iterator[Row]:
    """The events from the first to the last offset with record times between the two times."""
    (first, last), (since, until) = offsets, times
    if since is not None:
        first = max(first, _first_since(database.connection, log, since))
    after_last = min(last, log.next_offset) + (last < log.next_offset)
    place = {"stream_name": log.stream.stream_name, "stream_kind": log.stream.stream_kind}
    for event in read_archive(database.connection, log.log_id, first, after_last, page=min(page, PAGE_EVENTS)):
        if (since is None or event.timestamp >= ms_of(since)) and (until is None or event.timestamp <= ms_of(until)):
            yield {**place, "incarnation": log.incarnation, **event_row(event, database.secrets)}


def _first_since(connection: Connection, log: TrackedLog, time: datetime) -> int:
    """An offset before which all records are older than a time; 0 if log_time does not reach the time."""
    row = connection.execute(_BEFORE, (log.log_id, time)).fetchone()
    return 0 if row is None or row[0] >= log.next_offset else int(row[0]) + 1


def event_row(event: RecordedEvent, secrets: SecretPolicy) -> Row:
    """An event as a row without secrets; ``value_bytes`` is the size of the value on the log.

    ``record_time`` is null outside the range of datetime; ``timestamp`` is the same time in ms since 1970.
    """
    masked, time = mask_event(event, secrets), time_of(event.timestamp)
    return {
        "log_offset": event.offset,
        "record_time": time and time.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "timestamp": event.timestamp,
        "operation": "set" if event.value is not None else "delete",
        "key": _text(masked.key),
        "value": _text(masked.value),
        "value_bytes": None if event.value is None else len(event.value),
    }


def _event_line(row: Row) -> str:
    time = row["record_time"]
    cells = (None if time is None else exact(time), row["key"], _shown_value(row))
    return "  ".join([f"{row['log_offset']:>8}", *map(printable, cells)])


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "backslashreplace")


def _follow(stream: str, *, as_json: bool) -> None:
    """Print the newest events of a stream, read from its brokers or its log in Postgres, then new ones; never ends."""
    secrets = load_settings().secrets
    with open_source() as source:
        facts = source.describe(stream)
        try:
            first = max(facts.start_offset, facts.end_offset - FOLLOWED_RANGE)
            newest = deque(source.read(stream, first, facts.end_offset), maxlen=FOLLOWED_FIRST)
            _print_lines(newest, secrets, as_json=as_json)
            source.assign({stream: facts.end_offset})
            while True:
                for read in source.poll(POLL_SECONDS):
                    _print_lines(read.events, secrets, as_json=as_json)
        except KeyboardInterrupt:  # the way to end it
            return


def _print_lines(events: Iterable[RecordedEvent], secrets: SecretPolicy, *, as_json: bool) -> None:
    for event in events:
        row = event_row(event, secrets)
        print(json_text(row) if as_json else _event_line(row))
    sys.stdout.flush()


def _one_event(key: str | None, value: str | None, tombstone: bool) -> NewEvent:
    if key is None:
        raise typer.BadParameter("Missing option: use --key with --value or --tombstone, or --from-file.")
    if (value is None) is not tombstone:
        raise typer.BadParameter("--key needs either --value or --tombstone.")
    return NewEvent(_bytes(key), None if value is None else _bytes(value))


def _bytes(text: str) -> bytes:
    """The bytes of the command line, also those that are not UTF-8."""
    return text.encode("utf-8", "surrogateescape")


def _events_of(stream_name: str, file: Path) -> list[NewEvent]:
    """The records of a stream in a recording, with their times and headers, as events to append."""
    place, given = (Path("standard input"), sys.stdin.buffer) if str(file) == STANDARD_INPUT else (file, None)
    events, others = [], set()
    for topic, event in read_recording(place, given):
        if topic == stream_name:
            events.append(NewEvent(event.key, event.value, event.timestamp, event.headers))
        else:
            others.add(topic)
    if not events:
        known = ", ".join(sorted(others)[:10]) or "none"
        raise CoordstreamError(f"No record of stream '{stream_name}' in {place}. Its streams: {known}.")
    return events


def _refuse_fingerprints(events: Iterable[NewEvent]) -> None:
    """Raise CoordstreamError for a fingerprint in place of a secret: a job would use it as the secret."""
    for number, event in enumerate(events, start=1):
        if any(holds_fingerprint(data) for data in (event.key, event.value) if data is not None):
            raise CoordstreamError(
                f"Event {number} has a fingerprint in place of a secret. Export the stream with --raw and append that."
            )
