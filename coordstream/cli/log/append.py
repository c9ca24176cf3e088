"""`coordstream log append`: append events to a stream, byte for byte."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Final

import typer

from coordstream.cli.arguments import Json, Kind, Stream, parse_offset
from coordstream.cli.config.write import Force, check_texts, renames_job, writer
from coordstream.cli.event_logs import open_log
from coordstream.cli.output import print_json
from coordstream.errors import CoordstreamError
from eventlog.events import NewEvent, RecordedEvent
from eventlog.messages import SetConfig
from eventlog.recording import LineError, decode_line, read_recording
from eventlog.secret_policy import holds_fingerprint

STANDARD_INPUT: Final = Path("-")


def append(
    stream: Stream,
    key: Annotated[
        str | None, typer.Option(metavar="KEY", help='The key, for example \'[1,"set-config","a"]\'.')
    ] = None,
    value: Annotated[
        str | None,
        typer.Option(metavar="VALUE", help="The value. Other users can see it in the list of processes."),
    ] = None,
    tombstone: Annotated[bool, typer.Option("--tombstone", help="Delete the key instead of setting a value.")] = False,
    file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A recording: append its records of the stream. - is standard input."),
    ] = None,
    expected_offset: Annotated[
        int | None,
        typer.Option(
            metavar="OFFSET", parser=parse_offset, help="Append only if the log ends at this offset. Not for Kafka."
        ),
    ] = None,
    message_type: Annotated[
        str | None,
        typer.Option(
            "--type", metavar="set-config", help="Set the config key --key to --value, as Samza's script does."
        ),
    ] = None,
    force: Force = False,
    kind: Kind = None,
    as_json: Json = False,
) -> None:
    """Append one event, or the records of a recording, and print their offsets; with --type, the config key."""
    if message_type is not None:
        others = tombstone or file is not None or expected_offset is not None
        _set_config(stream, kind, message_type, key, value, others, force)
        if as_json:
            print_json([{"stream_name": stream, "config_key": key, "operation": "set"}])
        else:
            print(f"{stream}: {key} set")
        return
    if force:
        raise typer.BadParameter("--force goes with --type only.")
    events = _from_file(stream, file, key, value, tombstone) if file else [_one_event(key, value, tombstone)]
    refuse_fingerprints(events)
    with open_log(stream, kind, takes_many=file is not None) as log:
        offsets = log.append(events, expected_offset=expected_offset)
    if as_json:
        print_json([{"stream_name": stream, "first_offset": offsets.start, "next_offset": offsets.stop}])
        return
    last = offsets.stop - 1
    print(f"{stream}: offset {last}" if len(offsets) == 1 else f"{stream}: offsets {offsets.start} to {last}")


def _set_config(
    stream: str, kind: str | None, message_type: str, key: str | None, value: str | None, others: bool, force: bool
) -> None:
    if message_type != SetConfig.message_type:
        raise typer.BadParameter(f"Invalid --type {message_type!r}. Expected {SetConfig.message_type}.")
    if key is None or value is None or others:
        raise typer.BadParameter(
            "--type needs --key and --value. Of the other options only --force, --kind and --json go with it."
        )
    check_texts(key, value)
    with writer(stream, kind, force=force) as changes:
        renames_job(changes.config, key, value, force=force)
        changes.send_set_config(key, value)


def events_of(stream_name: str, records: Iterable[tuple[str, RecordedEvent]], place: str) -> list[NewEvent]:
    """The records of a stream in a recording, with their times and headers, as events to append.

    Raises:
        CoordstreamError: the recording has no record of the stream.
    """
    events, others = [], set()
    for topic, event in records:
        if topic == stream_name:
            events.append(NewEvent(event.key, event.value, event.timestamp, event.headers))
        else:
            others.add(topic)
    if not events:
        known = ", ".join(sorted(others)[:10]) or "none"
        raise CoordstreamError(f"No record of stream '{stream_name}' in {place}. Its streams: {known}.")
    return events


def refuse_fingerprints(events: Iterable[NewEvent]) -> None:
    """Raise CoordstreamError for a fingerprint in place of a secret: a job would use it as the secret."""
    for number, event in enumerate(events, start=1):
        if any(holds_fingerprint(data) for data in (event.key, event.value) if data is not None):
            raise CoordstreamError(
                f"Event {number} has a fingerprint in place of a secret. Export the stream with --raw and append that."
            )


def _one_event(key: str | None, value: str | None, tombstone: bool) -> NewEvent:
    if key is None:
        raise typer.BadParameter("Missing option: use --key with --value or --tombstone, or --file.")
    if (value is None) is not tombstone:
        raise typer.BadParameter("--key needs either --value or --tombstone.")
    return NewEvent(_bytes(key), None if value is None else _bytes(value))


def _from_file(stream: str, file: Path, key: str | None, value: str | None, tombstone: bool) -> list[NewEvent]:
    if key is not None or value is not None or tombstone:
        raise typer.BadParameter("--file cannot be used with --key, --value or --tombstone.")
    if file == STANDARD_INPUT:
        return events_of(stream, _from_standard_input(), "standard input")
    return events_of(stream, read_recording(file), str(file))


def _from_standard_input() -> Iterator[tuple[str, RecordedEvent]]:
    for number, line in enumerate(sys.stdin.buffer, start=1):
        if line.isspace():
            continue
        try:
            yield decode_line(line)
        except LineError as error:
            reason = str(error).rstrip(".")
            raise CoordstreamError(
                f"Invalid line {number} of standard input: {reason}. Nothing was appended."
            ) from None


def _bytes(text: str) -> bytes:
    """The bytes of the command line, also those that are not UTF-8."""
    return text.encode("utf-8", "surrogateescape")
