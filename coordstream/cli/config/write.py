"""`coordstream config set|delete`: a key of a job's config on its coordinator stream, as Samza's writer script does."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Final

import typer

from coordstream.cli.arguments.options import JobWord, Json
from coordstream.cli.config.undo import Undo
from coordstream.cli.event_logs import open_log
from coordstream.cli.job.logs import coordinator_stream_of
from coordstream.cli.messages import confirm
from coordstream.cli.output.tables import Column, print_json, print_rows, printable
from coordstream.errors import CoordstreamError
from coordstream.mask_key import secret_policy
from coordstream.settings import load_settings
from eventlog.error_text import did_you_mean
from eventlog.secrets.secret_policy import holds_fingerprint
from managers.config.write_once import write_once_changes
from managers.errors import WriteOnceChange
from managers.streams.coordinator_writer import CoordinatorStreamWriter

STANDARD_INPUT: Final = "-"
SHOWN_LATER: Final = (
    "The job reads this when it starts next. The database shows it after `coordstream follow` has read the stream."
)
COLUMNS: Final = (Column("key", "config_key"), Column("old", "old_value"), Column("new", "new_value"))

ConfigKey = Annotated[str, typer.Argument(metavar="KEY", help="The config key.")]
Force = Annotated[
    bool,
    typer.Option("--force", help="Change also what may be set only once; the source of the message then says so."),
]
# no -y: click would also take the letter out of a value such as -Dmy=1
Yes = Annotated[bool, typer.Option("--yes", help="Don't ask. Without a terminal nobody is asked.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the difference, and write nothing.")]


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
    yes: Yes = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Set a key of a job's config. A job reads it when it starts."""
    text = sys.stdin.read().removesuffix("\n") if value == STANDARD_INPUT else value
    check_texts(key, text)
    _change(job, key, text, force=force, yes=yes, dry_run=dry_run, as_json=as_json)


def delete_key(
    job: JobWord,
    key: ConfigKey,
    force: Force = False,
    yes: Yes = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Delete a key of a job's config. A job reads its config when it starts."""
    check_texts(key, "")
    _change(job, key, None, force=force, yes=yes, dry_run=dry_run, as_json=as_json)


@contextmanager
def writer(stream_name: str, kind: str | None, *, force: bool) -> Iterator[CoordinatorStreamWriter]:
    """What changes the config on a stream.

    Raises:
        CoordstreamError: it is no coordinator stream.
        EventLogError: nothing can be appended to it.
    """
    with open_log(stream_name, kind, takes_many=False) as log:
        if log.stream_kind != "coordinator":
            raise CoordstreamError(f"{stream_name} holds checkpoints, not config: give the job's coordinator stream.")
        if not log.capabilities.can_append:
            log.append([])  # says why
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


def _change(job: str, key: str, value: str | None, *, force: bool, yes: bool, dry_run: bool, as_json: bool) -> None:
    """Show what changes, write it once that is confirmed, and say how to take it back; value None deletes the key."""
    stream = coordinator_stream_of(job)
    undo = Undo(job, key, secret_policy(load_settings()))
    with writer(stream, None, force=force) as changes:
        config = changes.config
        old = config.get(key)
        if old is None and value is None:
            raise CoordstreamError(f"{stream} has no config key {key}: nothing was deleted.{did_you_mean(key, config)}")
        is_forced = _needs_force(config, key, value, force=force)
        row = {"stream_name": stream, "config_key": key, "old_value": undo.shown(old), "new_value": undo.shown(value)}
        if not as_json:
            print_rows([row], COLUMNS, title=f"Config of {job}", as_json=False)
        is_written = old != value and not dry_run
        if is_written:
            question = f"{'Delete' if value is None else 'Set'} {printable(key)}?"
            confirm(question, yes=yes or not sys.stdin.isatty(), done="deleted" if value is None else "written")
            if changes.config.get(key) != old:
                raise CoordstreamError(
                    f"{stream}: {key} was changed since it was shown: nothing was written, try again."
                )
            _write(changes, key, value)
    if as_json:
        is_sensitive = undo.is_secret(old) or undo.is_secret(value)
        print_json([{**row, "is_sensitive": is_sensitive, "is_written": is_written}])
    elif is_written:
        print(f"{stream}: {printable(key)} {'deleted' if value is None else 'set'}")
        print(SHOWN_LATER)
        print(undo.sentence(old, is_forced=is_forced))
    else:
        print("Nothing was written: " + ("this is its value already." if old == value else "this was a dry run."))


def _needs_force(config: Mapping[str, str], key: str, value: str | None, *, force: bool) -> bool:
    """Whether the change is of what may be set only once. Raises WriteOnceChange where that was not forced."""
    kept = {name: text for name, text in config.items() if name != key}
    changes = write_once_changes(config, kept if value is None else {**kept, key: value})
    if changes and not force:
        raise WriteOnceChange(changes)
    return bool(changes)


def _write(changes: CoordinatorStreamWriter, key: str, value: str | None) -> None:
    if value is None:
        changes.send_delete_config(key)
    else:
        changes.send_set_config(key, value)
