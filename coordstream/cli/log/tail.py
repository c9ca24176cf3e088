"""`coordstream log tail`: the newest events of a stream, read from Kafka or its log in Postgres, not the archive."""

import json
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Annotated, Final

import typer

from coordstream.cli.arguments import Csv, Json, Stream, Utc, parse_limit
from coordstream.cli.event_logs import open_source
from coordstream.cli.log.event_rows import EVENT_COLUMNS, EVENT_FIELDS, event_line, event_row
from coordstream.cli.output import print_rows
from coordstream.database import open_database
from coordstream.mask_key import secret_policy
from coordstream.queries.rows import Rows
from coordstream.settings import load_settings
from eventlog.events import RecordedEvent
from eventlog.postgres.archive import read_archive
from eventlog.postgres.log_registry import stream_names
from eventlog.secret_policy import SecretPolicy
from eventlog.source import EventSource, StreamFacts, StreamMissing, StreamRefused
from projections.tracked_logs import logs_of

POLL_SECONDS: Final = 1.0

ReadStream = Callable[[str, int, int], Iterable[RecordedEvent]]
_FIRST_WIDTH: Final = 1_000
_WIDENING: Final = 4


def tail(
    stream: Stream,
    count: Annotated[
        int, typer.Option("--count", "-n", metavar="N", parser=parse_limit, help="Show at most this many events.")
    ] = 10,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Show new events as they are appended, until Ctrl-C.")
    ] = False,
    utc: Utc = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Show the newest events of a stream, with secrets as fingerprints. --follow --json prints one object per line.

    A stream that was only imported is read from the archive.
    """
    secrets = secret_policy(load_settings())
    if not follow:
        place, events = _newest(stream, count)
        rows = Rows(EVENT_FIELDS, (event_row(event, secrets) for event in events))
        print_rows(rows, EVENT_COLUMNS, title=f"{stream}{place}", as_json=as_json, as_csv=as_csv, utc=utc)
        return
    if as_csv:
        raise typer.BadParameter("--csv cannot be used with --follow. Use --json, which prints one object per line.")
    with open_source() as source:
        facts = _facts(source, stream)
        newest = newest_events(source.read, facts, count)
        try:
            _print(newest, secrets, as_json=as_json)
            for appended in coming_events(source, facts):
                _print(appended, secrets, as_json=as_json)
        except KeyboardInterrupt:  # the way to end it
            return


def _newest(stream: str, count: int) -> tuple[str, list[RecordedEvent]]:
    """The newest events of a stream, or else of its archive; and a suffix of the title that says which."""
    try:
        with open_source() as source:
            return "", newest_events(source.read, _facts(source, stream), count)
    except (StreamMissing, StreamRefused):
        archived = _read_archive(stream, count)
        if archived is None:
            raise
        return " (archive)", archived


def _facts(source: EventSource, stream: str) -> StreamFacts:
    """The current state of a stream. The error for a missing one names similar streams."""
    try:
        return source.describe(stream)
    except StreamMissing as error:
        with open_database() as database:
            known = {*source.stream_names(), *stream_names(database.connection)}
        raise StreamMissing(stream, error.place, known) from None


def _read_archive(stream: str, count: int) -> list[RecordedEvent] | None:
    """The newest archived events of a stream below its position; None if the archive does not have the stream."""
    with open_database() as database:
        log = next((log for log in logs_of(database.connection, stream) if log.is_current), None)
        if log is None:
            return None

        def read(_: str, first: int, until: int) -> Iterator[RecordedEvent]:
            return read_archive(database.connection, log.log_id, first, until)

        return newest_events(read, StreamFacts(stream, None, 0, log.next_offset), count)


def newest_events(read: ReadStream, facts: StreamFacts, count: int) -> list[RecordedEvent]:
    """The last events below the end, at most ``count``, in offset order.

    Compaction leaves gaps, so it reads ever longer ranges until it has enough events or is at the start.
    """
    width = max(count, _FIRST_WIDTH)
    while True:
        first = max(facts.start_offset, facts.end_offset - width)
        events = deque(read(facts.stream_name, first, facts.end_offset), maxlen=count)
        if len(events) == count or first == facts.start_offset:
            return list(events)
        width *= _WIDENING


def coming_events(source: EventSource, facts: StreamFacts) -> Iterator[Sequence[RecordedEvent]]:
    """The events after the end, as they are appended; never ends. Raises the errors of `EventSource.poll`."""
    source.assign({facts.stream_name: facts.end_offset})
    while True:
        for read in source.poll(POLL_SECONDS):
            yield read.events


def _print(events: Sequence[RecordedEvent], secrets: SecretPolicy, *, as_json: bool) -> None:
    for event in events:
        row = event_row(event, secrets)
        print(json.dumps(row, ensure_ascii=False) if as_json else event_line(row))
    sys.stdout.flush()
