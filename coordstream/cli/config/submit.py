"""`coordstream config write|check`: a job's whole config from a property file, as a deployment writes it."""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Final

import typer

from coordstream.cli.arguments import Csv, DryRun, JobWord, Json
from coordstream.cli.config.secret_values import is_secret, masked_changes, shown
from coordstream.cli.config.write import COLUMNS, SHOWN_LATER, Force, Yes
from coordstream.cli.event_logs import open_log
from coordstream.cli.job.logs import is_stream
from coordstream.cli.job.submission import PropertyFile, ensure_coordinator_stream, read_submission
from coordstream.cli.output import confirm, print_list, print_rows
from coordstream.errors import CoordstreamError
from coordstream.mask_key import secret_policy
from coordstream.messages import note, warn
from coordstream.queries.rows import Rows
from coordstream.settings import load_settings
from eventlog.errors import ConfigError, printable_text
from eventlog.secret_policy import SecretPolicy
from managers.config.job_config import read_config, stale_keys, write_config, write_once_changes
from managers.coordinator.job_coordinator import require_supported
from managers.errors import WriteOnceChange
from managers.job_names import JOB_NAME, Config, coordinator_stream, job_id, job_name
from managers.stores.coordinator_store import CoordinatorStreamStore

FromFile = Annotated[Path, PropertyFile]
CHANGE: Final = ("stream_name", "config_key", "old_value", "new_value", "is_sensitive", "is_write_once")
REFUSED: Final = 1


def write_file(
    job: JobWord,
    from_file: FromFile,
    force: Force = False,
    yes: Yes = False,
    dry_run: DryRun = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Write a job's whole config from a property file, as a deployment of Samza does.

    Every key of the file is set, and keys that it lacks are deleted. The coordinator stream is created if it is
    missing. A write-once key that would change is refused, and so is the config of another job on the same stream.
    """
    config = read_submission(job, from_file)
    stream = coordinator_stream(config).stream_name
    secrets = secret_policy(load_settings())
    old = current_config(stream)
    rows = change_rows(secrets, stream, old, config)
    refused = refusal(secrets, stream, old, config)
    if refused is not None and not force:
        raise refused
    is_shown = not (as_json or as_csv)
    if is_shown:
        print_rows(rows, COLUMNS, title=f"Config of {job}", as_json=False)
    if not dry_run:
        confirm("Write the config?", yes=yes or not sys.stdin.isatty(), done="written")
        _write(stream, old, config, force=force)
    if not is_shown:
        written = Rows([*rows.columns, "is_written"], ({**row, "is_written": not dry_run} for row in rows))
        print_list(written, as_csv=as_csv)
    elif dry_run:
        print("Nothing was written (dry run).")
    else:
        print(_summary(config, rows))
        print(SHOWN_LATER)


def check_file(job: JobWord, from_file: FromFile, as_json: Json = False, as_csv: Csv = False) -> None:
    """Show what `config write` would change; exit code 1 if it would be refused without --force."""
    config = read_submission(job, from_file)
    stream = coordinator_stream(config).stream_name
    secrets = secret_policy(load_settings())
    old = current_config(stream)
    rows = change_rows(secrets, stream, old, config)
    print_rows(rows, COLUMNS, title=f"Config of {job}", as_json=as_json, as_csv=as_csv)
    refused = refusal(secrets, stream, old, config)
    if refused is not None:
        note(str(refused))
        raise typer.Exit(REFUSED)
    warn(unsupported(secrets, config))


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


def _write(stream_name: str, old: Config, config: Config, *, force: bool) -> None:
    """Write the config, unless it is no longer the old one. Raises `CoordstreamError`: nothing was written."""
    if not is_stream(stream_name):
        ensure_coordinator_stream(config)
    with open_log(stream_name, "coordinator", takes_many=False) as log, CoordinatorStreamStore(log) as store:
        if read_config(store) != old:
            raise CoordstreamError(f"Nothing was written: {stream_name} has changed in the meantime. Try again.")
        write_config(store, config, force=force)


def change_rows(secrets: SecretPolicy, stream_name: str, old: Config, config: Config) -> Rows:
    """The keys whose values change, sorted; a new value of None: the key is deleted."""
    new: Mapping[str, str | None] = {**config, **dict.fromkeys(stale_keys(old, config))}
    write_once = {change.config_key for change in write_once_changes(old, config)}
    changes = (
        {
            "stream_name": stream_name,
            "config_key": key,
            "old_value": shown(secrets, key, old.get(key)),
            "new_value": shown(secrets, key, new[key]),
            "is_sensitive": is_secret(secrets, key, old.get(key)) or is_secret(secrets, key, new[key]),
            "is_write_once": key in write_once,
        }
        for key in sorted(new)
        if old.get(key) != new[key]
    )
    return Rows(CHANGE, changes)


def _summary(config: Config, rows: Rows) -> str:
    deleted = sum(row["new_value"] is None for row in rows)
    return f"Set {len(config)} keys, of which {len(rows) - deleted} changed, and deleted {deleted}."
