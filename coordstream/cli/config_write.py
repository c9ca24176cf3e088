"""`coordstream config set|delete`: a key of a job's config on its coordinator stream, as Samza's writer script does."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Final

import typer

from coordstream.cli.event_logs import open_log
from coordstream.cli.job_streams import coordinator_stream_of
from coordstream.cli.options import JobWord
from coordstream.errors import CoordstreamError
from eventlog.secrets import holds_fingerprint
from managers.streams.coordinator_writer import CoordinatorStreamWriter

STANDARD_INPUT: Final = "-"

ConfigKey = Annotated[str, typer.Argument(metavar="KEY", help="The config key.")]
Force = Annotated[
    bool,
    typer.Option("--force", help="Change also what may be set only once; the source of the message then says so."),
]


def set_key(
    job: JobWord,
    key: ConfigKey,
    value: Annotated[
        str,
        typer.Argument(
            metavar="VALUE", help="Its value; - reads it from standard input, where no list of processes shows it."
        ),
    ],
    force: Force = False,
) -> None:
    """Set a key of a job's config. A job reads it when it starts."""
    text = sys.stdin.read().removesuffix("\n") if value == STANDARD_INPUT else value
    check_texts(key, text)
    stream = coordinator_stream_of(job)
    with writer(stream, None, force=force) as changes:
        changes.send_set_config(key, text)
    print(f"{stream}: {key} set")


def delete_key(job: JobWord, key: ConfigKey, force: Force = False) -> None:
    """Delete a key of a job's config."""
    check_texts(key, "")
    stream = coordinator_stream_of(job)
    with writer(stream, None, force=force) as changes:
        if not changes.send_delete_config(key):
            raise CoordstreamError(f"{stream} has no config key {key}: nothing was deleted, look at its name again.")
    print(f"{stream}: {key} deleted")


@contextmanager
def writer(stream_name: str, kind: str | None, *, force: bool) -> Iterator[CoordinatorStreamWriter]:
    """What changes the config on a stream. Raises CoordstreamError where it is no coordinator stream."""
    with open_log(stream_name, kind, takes_many=False) as log:
        if log.stream_kind != "coordinator":
            raise CoordstreamError(f"{stream_name} holds checkpoints, not config: give the job's coordinator stream.")
        with CoordinatorStreamWriter(log, force=force) as changes:
            yield changes


def check_texts(key: str, value: str) -> None:
    """Refuse what a job could not use: an empty key, bytes that are no text, a fingerprint where a secret was."""
    if not key:
        raise typer.BadParameter("a config key is not empty")
    try:
        (key + value).encode()
    except UnicodeEncodeError:
        raise typer.BadParameter("key and value must be UTF-8") from None
    if holds_fingerprint((key + "\n" + value).encode()):
        raise CoordstreamError("the value is a fingerprint, which stands for a secret: give the secret itself.")
