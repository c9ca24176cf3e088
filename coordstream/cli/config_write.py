"""`coordstream config set|delete|write`: change a job's config, as Samza's tools and deployments do."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Final

import typer

from coordstream.cli.arguments import STANDARD_INPUT, DryRun, JobWord, Json, read_given
from coordstream.cli.change import Change, make_change
from coordstream.cli.output import Column
from coordstream.cli.submission import (
    PropertyFile,
    ensure_coordinator_stream,
    is_secret,
    masked_changes,
    read_submission,
    shown,
)
from coordstream.errors import CoordstreamError
from coordstream.event_logs import coordinator_stream_of, is_stream, open_log
from coordstream.input_system import input_options
from coordstream.queries.rows import Row, printable
from coordstream.settings import load_settings
from eventlog.errors import EventLogError, did_you_mean, is_utf8, printable_text
from eventlog.secret_policy import SecretPolicy, holds_fingerprint
from managers.config.job_config import (
    delete_config,
    read_config,
    set_config,
    stale_keys,
    write_config,
    write_once_changes,
)
from managers.errors import WriteOnceChange
from managers.job_names import JOB_NAME, Config, coordinator_stream, job_id
from managers.stores.coordinator_store import CoordinatorStreamStore

READ_LATER: Final = "The job reads it at its next start."
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
    as_json: Json = False,
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
    as_json: Json = False,
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
    if not is_utf8(key + value):
        raise typer.BadParameter("Invalid characters: key and value must be UTF-8.")
    if "\0" in key + value:
        raise CoordstreamError("Key or value has a null character, which Postgres cannot store. Remove it.")
    if holds_fingerprint((key + "\n" + value).encode()):
        raise CoordstreamError("The value is the fingerprint of a secret. Use the secret itself.")


def _read_input() -> str:
    """Standard input without the line end at its end; UTF-8, whatever the locale is. `check_texts` rejects others."""
    _, data = read_given(STANDARD_INPUT)
    text = data.removesuffix(b"\r\n" if data.endswith(b"\r\n") else b"\n")
    return text.decode("utf-8", "surrogateescape")


def _change(job: str, key: str, value: str | None, *, force: bool, yes: bool, dry_run: bool, as_json: bool) -> None:
    """Set a key of a job's config; value None deletes it."""
    stream, secrets = coordinator_stream_of(job), load_settings().secrets
    verb, done = ("Delete", "Deleted") if value is None else ("Set", "Set")
    with open_log(stream, "coordinator") as log, CoordinatorStreamStore(log) as store:
        config = read_config(store)
        old = config.get(key)
        if old is None and value is None:
            raise CoordstreamError(f'No config key "{printable(key)}" in {stream}.{did_you_mean(key, config)}')
        new = {name: text for name, text in {**config, key: value}.items() if text is not None}
        refused = refusal(secrets, stream, config, new)
        if refused is not None and not force:
            raise refused

        def write() -> None:
            _require_same({key: old}, {key: read_config(store).get(key)}, f'"{printable(key)}" in {stream}')
            if value is None:
                delete_config(store, key, force=force)
            else:
                set_config(store, key, value, force=force)

        change = Change(
            log=log,
            title=f"Config of {job}",
            rows=change_rows(secrets, stream, config, new, [key]),
            columns=COLUMNS,
            question="" if old == value else f"{verb} {printable(key)}?",
            done="Nothing to change: the key already has this value."
            if old == value
            else f"{done} {printable(key)} in {stream}.\n{READ_LATER}",
            write=write,
        )
        make_change(change, yes=yes or not sys.stdin.isatty(), dry_run=dry_run, as_json=as_json)


def _require_same(before: Mapping[str, str | None], now: Mapping[str, str | None], what: str) -> None:
    if now != before:
        raise CoordstreamError(f"Nothing was written: {what} has changed in the meantime. Try again.")


def write_file(
    job: JobWord,
    from_file: Annotated[Path, PropertyFile],
    force: Force = False,
    yes: Yes = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Write a job's whole config from a properties file, as a Samza deployment does.

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
    refused = refusal(secrets, stream, old, config)
    if refused is not None and not force:
        raise refused
    changed = sorted(key for key in old.keys() | new.keys() if old.get(key) != new.get(key))
    rows = change_rows(secrets, stream, old, new, changed)
    deleted = sum(row["new_value"] is None for row in rows)
    summary = f"Set {len(config)} keys, of which {len(rows) - deleted} changed, and deleted {deleted}."
    change = Change(
        log=None,
        title=f"Config of {job}",
        rows=rows,
        columns=COLUMNS,
        question="Write the config?",
        done=f"{summary}\n{READ_LATER}",
        write=lambda: _write_config(stream, old, config, force=force),
        warnings=unsupported(secrets, config) if dry_run else (),
    )
    make_change(change, yes=yes or not sys.stdin.isatty(), dry_run=dry_run, as_json=as_json)


def refusal(secrets: SecretPolicy, stream_name: str, old: Config, new: Config) -> Exception | None:
    """Why a config may only be written with ``--force``; None: it may be written.

    Jobs share a coordinator stream if their names differ in ``_`` and ``-`` only (CoordinatorStreamUtil of Samza).
    """
    if JOB_NAME in old and _job(old) != _job(new):
        return CoordstreamError(
            f"{stream_name} has the config of job {_job(old)}, and this would make it that of job {_job(new)}. Submit "
            "another job with a job.name of its own (`coordstream config write`), or use --force."
        )
    changes = write_once_changes(old, new)
    return WriteOnceChange(masked_changes(secrets, changes)) if changes else None


def _job(config: Config) -> str:
    return printable_text(f"{config.get(JOB_NAME, '(no name)')}/{job_id(config)}")


def unsupported(secrets: SecretPolicy, config: Config) -> Iterator[str]:
    """A sentence if our job coordinator does not support the config; Samza's may."""
    from managers.coordinator.job_coordinator import require_supported, systems_of  # noqa: PLC0415 (half of the managers)

    masked = {key: shown(secrets, key, value) or "" for key, value in config.items()}
    try:
        require_supported(masked)
        for system in sorted(systems_of(masked)):
            input_options(masked, system, None)
    except EventLogError as error:
        yield f"`coordstream coordinator run` refuses this config: {error}"


def current_config(stream_name: str) -> Config:
    """The config on a coordinator stream; empty if there is no such stream."""
    if not is_stream(stream_name):
        return {}
    with open_log(stream_name, "coordinator") as log, CoordinatorStreamStore(log) as store:
        return read_config(store)


def _write_config(stream_name: str, old: Config, config: Config, *, force: bool) -> None:
    """Write the config, unless it is no longer the old one. Raises `CoordstreamError`: nothing was written."""
    if not is_stream(stream_name):
        ensure_coordinator_stream(config)
    with open_log(stream_name, "coordinator") as log, CoordinatorStreamStore(log) as store, log.exclude_writers():
        _require_same(old, read_config(store), stream_name)
        write_config(store, config, force=force)


def change_rows(secrets: SecretPolicy, stream_name: str, old: Config, new: Config, keys: Iterable[str]) -> list[Row]:
    """The values of some keys before and after; None: the key is not set."""
    write_once = {change.config_key for change in write_once_changes(old, new)}
    return [
        {
            "stream_name": stream_name,
            "config_key": key,
            "old_value": shown(secrets, key, old.get(key)),
            "new_value": shown(secrets, key, new.get(key)),
            "is_sensitive": is_secret(secrets, key, old.get(key)) or is_secret(secrets, key, new.get(key)),
            "is_write_once": key in write_once,
        }
        for key in keys
    ]
