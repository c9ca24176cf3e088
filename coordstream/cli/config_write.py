"""`coordstream config set|delete|write`: change a job's config, as Samza's tools and deployments do."""

import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from coordstream.cli.arguments import STANDARD_INPUT, DryRun, JobWord, JsonOrCsv, read_given
from coordstream.cli.event_logs import coordinator_stream_of, is_stream, open_log
from coordstream.cli.output import Column, confirm, print_change, print_list, print_rows
from coordstream.cli.submission import (
    PropertyFile,
    ensure_coordinator_stream,
    is_secret,
    masked_changes,
    read_submission,
    shown,
)
from coordstream.errors import CoordstreamError, warn
from coordstream.queries.rows import Rows, printable
from coordstream.settings import load_settings
from eventlog.errors import ConfigError, did_you_mean, printable_text
from eventlog.log import require_writable
from eventlog.secret_policy import SecretPolicy, holds_fingerprint
from eventlog.streams import DEFAULT_JOB_ID
from managers.config.job_config import (
    delete_config,
    read_config,
    set_config,
    stale_keys,
    write_config,
    write_once_changes,
)
from managers.errors import WriteOnceChange
from managers.job_names import JOB_ID, JOB_NAME, Config, coordinator_stream, job_id, job_name
from managers.stores.coordinator_store import CoordinatorStreamStore

LONGEST_VALUE: Final = 1_000
SHOWN_LATER: Final = (
    "The job reads it at its next start. The database shows it after `coordstream follow` has read the stream."
)
COLUMNS: Final = (Column("key", "config_key"), Column("old", "old_value"), Column("new", "new_value"))

ConfigKey = Annotated[str, typer.Argument(metavar="KEY", help="The config key.")]
Force = Annotated[bool, typer.Option("--force", help="Change write-once keys too; the message's source records it.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation (never asked without a terminal).")]


def set_key(
    job: JobWord,
    key: ConfigKey,
    value: Annotated[
        str,
        typer.Argument(
            metavar="VALUE", help="The value; - reads it from standard input, so that no process list shows it."
        ),
    ],
    force: Force = False,
    yes: Yes = False,
    dry_run: DryRun = False,
    as_json: JsonOrCsv = None,
) -> None:
    """Set a key of a job's config. The job reads it at its next start.

    Example: coordstream config set wordcount job.container.count 4
    """
    text = _read_input() if value == STANDARD_INPUT else value
    check_texts(key, text)
    _change(job, key, text, force=force, yes=yes, dry_run=dry_run, as_json=as_json)


def delete_key(
    job: JobWord,
    key: ConfigKey,
    force: Force = False,
    yes: Yes = False,
    dry_run: DryRun = False,
    as_json: JsonOrCsv = None,
) -> None:
    """Delete a key of a job's config. The job reads its config at its next start.

    Example: coordstream config delete wordcount app.note
    """
    check_texts(key, "")
    _change(job, key, None, force=force, yes=yes, dry_run=dry_run, as_json=as_json)


def check_texts(key: str, value: str) -> None:
    """Reject what a job could not use: an empty key, invalid UTF-8, a null character, a fingerprint of a secret."""
    if not key:
        raise typer.BadParameter("Invalid key ''. Expected a name.")
    try:
        (key + value).encode()
    except UnicodeEncodeError:
        raise typer.BadParameter("Invalid characters: key and value must be UTF-8.") from None
    if "\0" in key + value:
        raise CoordstreamError("The value has a null character, which Postgres cannot store. Remove it.")
    if holds_fingerprint((key + "\n" + value).encode()):
        raise CoordstreamError("The value is the fingerprint of a secret. Use the secret itself.")


def _read_input() -> str:
    """Standard input without the line end at its end; UTF-8, whatever the locale is. `check_texts` rejects others."""
    _, data = read_given(STANDARD_INPUT)
    text = data.removesuffix(b"\r\n" if data.endswith(b"\r\n") else b"\n")
    return text.decode("utf-8", "surrogateescape")


def _change(
    job: str, key: str, value: str | None, *, force: bool, yes: bool, dry_run: bool, as_json: bool | None
) -> None:
    """Show the change, ask, write it and print how to undo it; value None deletes the key."""
    stream, secrets = coordinator_stream_of(job), load_settings().secrets
    with open_log(stream, "coordinator", takes_many=False) as log, CoordinatorStreamStore(log) as store:
        require_writable(log)
        config = read_config(store)
        old = config.get(key)
        if old is None and value is None:
            raise CoordstreamError(f'No config key "{printable(key)}" in {stream}.{did_you_mean(key, config)}')
        kept = {name: text for name, text in config.items() if name != key}
        new = kept if value is None else {**kept, key: value}
        is_forced = _needs_force(secrets, config, new, key, force=force)
        rows = change_rows(secrets, stream, config, new, [key])
        if as_json is None:
            print_rows(rows, COLUMNS, title=f"Config of {job}")
        is_written = old != value and not dry_run
        if is_written:
            question = f"{'Delete' if value is None else 'Set'} {printable(key)}?"
            confirm(question, yes=yes or not sys.stdin.isatty(), done="deleted" if value is None else "written")
            if read_config(store).get(key) != old:
                raise CoordstreamError(
                    f'Nothing was written: "{printable(key)}" in {stream} has changed in the meantime. Try again.'
                )
            if value is None:
                delete_config(store, key, force=force)
            else:
                set_config(store, key, value, force=force)
    if as_json is not None:
        print_list(rows.with_column("is_written", is_written), as_json=as_json)
    elif is_written:
        print(f"{'Deleted' if value is None else 'Set'} {printable(key)} in {stream}.")
        print(SHOWN_LATER)
        print(_undo(job, key, old, ["--force"] if is_forced else [], is_sensitive=is_secret(secrets, key, old)))
    else:
        print(
            "Nothing to change: the key already has this value." if old == value else "Nothing was written (dry run)."
        )


def _undo(job: str, key: str, old: str | None, options: Sequence[str], *, is_sensitive: bool) -> str:
    """The command that restores the old value of a key (None: there was none), or what to do instead."""

    def command(verb: str, *value: str) -> str:
        dashes = ["--"] if any(word.startswith("-") and word != "-" for word in (key, *value)) else []
        return shlex.join(["coordstream", "config", verb, *options, *dashes, job, key, *value])

    if old is None:
        return f"To undo: {command('delete')}"
    from_input = f"To undo, use a file with the old value: {command('set', '-')} < FILE"
    if is_sensitive:
        return f"The old value is a secret and is not shown. {from_input}"
    if old == "-" or not old.isprintable() or len(old) > LONGEST_VALUE:
        history = shlex.join(["coordstream", "config", "history", job, "--key", key, "--json"])
        return f"The old value is too long to show, or has special characters; `{history}` prints it. {from_input}"
    return f"To undo: {command('set', old)}"


def _needs_force(secrets: SecretPolicy, old: Config, new: Config, key: str, *, force: bool) -> bool:
    """Whether the key is write-once or names the job, and changes. Raises the error for it unless that is forced."""
    changes = write_once_changes(old, new)
    if changes and not force:
        raise WriteOnceChange(masked_changes(secrets, changes))
    return renames_job(old, key, new.get(key), force=force) or bool(changes)


def renames_job(config: Mapping[str, str], key: str, value: str | None, *, force: bool) -> bool:
    """Whether a change of a key (value None: its deletion) gives the job another name or id.

    Raises CoordstreamError unless that is forced: the job would look for other streams.
    """
    default = DEFAULT_JOB_ID if key == JOB_ID else None
    new = default if value is None else value
    is_renamed = key in (JOB_NAME, JOB_ID) and JOB_NAME in config and config.get(key, default) != new
    if is_renamed and not force:
        raise CoordstreamError(
            f"{key} is part of the names of the job's streams: with another value, the job would start without its "
            "checkpoints. To start it with another name, submit its config (`coordstream config write`). "
            "To change the key anyway, use --force."
        )
    return is_renamed


FromFile = Annotated[Path, PropertyFile]
CHANGE: Final = ("stream_name", "config_key", "old_value", "new_value", "is_sensitive", "is_write_once")


def write_file(
    job: JobWord,
    from_file: FromFile,
    force: Force = False,
    yes: Yes = False,
    dry_run: DryRun = False,
    as_json: JsonOrCsv = None,
) -> None:
    """Write a job's whole config from a property file, as a deployment of Samza does.

    Every key of the file is set, and keys that it lacks are deleted. The coordinator stream is created if it is
    missing. A write-once key that would change is refused, and so is the config of another job on the same stream.
    With --dry-run, a config that `coordinator run` does not support is a warning.

    Example: coordstream config write payments --from-file payments.properties --dry-run
    """
    config = read_submission(job, from_file)
    stream, secrets = coordinator_stream(config).stream_name, load_settings().secrets
    old = current_config(stream)
    stale = stale_keys(old, config)
    new = {**{key: value for key, value in old.items() if key not in stale}, **config}
    changed = sorted(key for key in old.keys() | new.keys() if old.get(key) != new.get(key))
    rows = change_rows(secrets, stream, old, new, changed)
    refused = refusal(secrets, stream, old, config)
    if refused is not None and not force:
        raise refused
    if dry_run:
        warn(unsupported(secrets, config))
    if as_json is None:
        print_rows(rows, COLUMNS, title=f"Config of {job}")
    if not dry_run:
        confirm("Write the config?", yes=yes or not sys.stdin.isatty(), done="written")
        _write_config(stream, old, config, force=force)
    print_change(rows, f"{_summary(config, rows)}\n{SHOWN_LATER}", is_done=not dry_run, as_json=as_json)


def refusal(secrets: SecretPolicy, stream_name: str, old: Config, config: Config) -> Exception | None:
    """Why a config may only be written with ``--force``; None: it may be written.

    Jobs share a coordinator stream if their names differ in ``_`` and ``-`` only (CoordinatorStreamUtil of Samza).
    """
    if JOB_NAME in old and _job(old) != _job(config):
        return CoordstreamError(
            f"{stream_name} has the config of job {_job(old)}. The streams of job {_job(config)} have the same names. "
            "Choose another job.name, or replace the config with --force."
        )
    changes = write_once_changes(old, config)
    return WriteOnceChange(masked_changes(secrets, changes)) if changes else None


def _job(config: Config) -> str:
    return printable_text(f"{job_name(config)}/{job_id(config)}")


def unsupported(secrets: SecretPolicy, config: Config) -> Iterator[str]:
    """A sentence if our job coordinator does not support the config; Samza's may."""
    from managers.coordinator.job_coordinator import require_supported  # noqa: PLC0415 (loads half of the managers)

    masked = {key: shown(secrets, key, value) or "" for key, value in config.items()}
    try:
        require_supported(masked)
    except ConfigError as error:
        yield f"`coordstream coordinator run` refuses this config: {error}"


def current_config(stream_name: str) -> Config:
    """The config on a coordinator stream; empty if there is no such stream."""
    if not is_stream(stream_name):
        return {}
    with open_log(stream_name, "coordinator", takes_many=False) as log, CoordinatorStreamStore(log) as store:
        return read_config(store)


def _write_config(stream_name: str, old: Config, config: Config, *, force: bool) -> None:
    """Write the config, unless it is no longer the old one. Raises `CoordstreamError`: nothing was written."""
    if not is_stream(stream_name):
        ensure_coordinator_stream(config)
    with open_log(stream_name, "coordinator", takes_many=False) as log, CoordinatorStreamStore(log) as store:
        if read_config(store) != old:
            raise CoordstreamError(f"Nothing was written: {stream_name} has changed in the meantime. Try again.")
        write_config(store, config, force=force)


def change_rows(secrets: SecretPolicy, stream_name: str, old: Config, new: Config, keys: Iterable[str]) -> Rows:
    """The values of some keys before and after; None: the key is not set."""
    write_once = {change.config_key for change in write_once_changes(old, new)}
    changes = (
        {
            "stream_name": stream_name,
            "config_key": key,
            "old_value": shown(secrets, key, old.get(key)),
            "new_value": shown(secrets, key, new.get(key)),
            "is_sensitive": is_secret(secrets, key, old.get(key)) or is_secret(secrets, key, new.get(key)),
            "is_write_once": key in write_once,
        }
        for key in keys
    )
    return Rows(CHANGE, changes)


def _summary(config: Config, rows: Rows) -> str:
    deleted = sum(row["new_value"] is None for row in rows)
    return f"Set {len(config)} keys, of which {len(rows) - deleted} changed, and deleted {deleted}."
