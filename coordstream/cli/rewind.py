"""`coordstream rewind`: starts a job from other offsets, with a plan that says what it costs, and can be undone."""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

import typer
from pydantic import BaseModel, ValidationError

from coordstream.cli.arguments import (
    InputServers,
    JobWord,
    Json,
    Tasks,
    Yes,
    count_option,
    parse_offset,
    parse_shift,
    time_option,
)
from coordstream.cli.change import make_change, write_new_file
from coordstream.cli.output import Column, print_rows, time_span
from coordstream.cli.rewind_changes import DONE, check_rows, requests_to_undo, requests_to_write
from coordstream.cli.rewind_plan import beginning_of, choose_readers, plan_again, plan_rewind
from coordstream.cli.startpoint_plan import StartpointJob, open_startpoint_job
from coordstream.database import open_job
from coordstream.errors import note, warn
from coordstream.queries.rows import Row, input_partition
from eventlog.errors import list_names, system_reason
from managers.rewind.rewind_plan import Finding, RewindError, RewindPlan, Target, require_unchanged
from managers.rewind.rewind_undo import UndoFile
from managers.startpoints.startpoint_records import StartpointsChanged

app = typer.Typer()

MOST_LISTED: Final = 3

_FINDINGS: Final[Mapping[Finding, str]] = {
    "before_oldest": "The target is before the oldest record, which is used instead: {}.",
    "beyond_end": "The target is beyond the end, which is used instead: {}.",
    "skips_everything": "Skips everything that is not read yet: {}.",
}
_TARGETS: Final[Mapping[str, Callable[[Any, StartpointJob], Target | datetime]]] = {
    "--to-datetime": lambda time, _: time,
    "--shift-by": lambda by, _: Target(f"shift by {by:+d}", lambda position: position.from_offset + by),
    "--to-offset": lambda offset, _: Target(f"offset {offset}", lambda _: offset, refuses_beyond_end=True),
    "--to-earliest": lambda *_: Target("earliest", lambda position: position.oldest_offset),
    "--to-latest": lambda *_: Target("latest", lambda position: position.end_offset),
    "--to-deployment": lambda number, found: beginning_of(number, found.job),
}
"""The options that say where to rewind to: one of them is given."""

File = TypeVar("File", bound=BaseModel)


def _records(name: str, row: Row) -> str | None:
    return f"{row[name]:,}" if row[name] else None


_MOVE: Final = (
    Column("task", "task_name"),
    Column("input", input_partition),
    Column("from", "from_offset", "right"),
    Column("to", "to_offset", "right"),
)
_COLUMNS: Final = (
    *_MOVE,
    Column("read again", lambda row: _records("records_again", row), "right"),
    Column("skipped", lambda row: _records("records_skipped", row), "right"),
    Column("caught up in", time_span("seconds_to_catch_up"), "right", drop=1),
    Column("stores that differ", lambda row: row["stores"] or None, drop=3),
    Column("note", lambda row: None if row["finding"] is None else row["finding"].replace("_", " "), drop=4),
)
_CHECK_COLUMNS: Final = (*_MOVE, Column("read up to", "reached_offset", "right"), Column("state", "state"))


@app.command()
def plan(
    job: JobWord,
    to_datetime: Annotated[
        datetime | None, time_option("--to-datetime", help="First records since a time: ISO 8601, or '2 hours ago'.")
    ] = None,
    shift_by: Annotated[
        int | None,
        typer.Option("--shift-by", metavar="N", parser=parse_shift, help="Add N (or -N) to the next offset to read."),
    ] = None,
    to_offset: Annotated[
        int | None,
        typer.Option("--to-offset", metavar="N", parser=parse_offset, help="This offset, as the next one to read."),
    ] = None,
    to_earliest: Annotated[bool, typer.Option("--to-earliest", help="The oldest records.")] = False,
    to_latest: Annotated[bool, typer.Option("--to-latest", help="The ends: skip everything.")] = False,
    to_deployment: Annotated[
        int | None,
        count_option(
            "--to-deployment", help="Where the tasks stood when this deployment began (`config history --deployments`)."
        ),
    ] = None,
    inputs: Annotated[
        list[str] | None,
        typer.Option(
            "--input",
            metavar="INPUT",
            help="Only this input, or some of its partitions: kafka.page-views.0-3,5; repeatable.",
        ),
    ] = None,
    tasks: Tasks = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="The plan file to write (default: rewind-JOB-TIME.json)."),
    ] = None,
    servers: InputServers = None,
    as_json: Json = False,
) -> None:
    """Plan to start a job from other offsets, and show what that costs.

    Example: coordstream rewind plan wordcount --to-datetime '2 hours ago' --input kafka.page-views

    Writes a plan file for `rewind apply`, and nothing else. Offsets are the next ones to read. Records are counted by
    offsets: a compacted topic has fewer.
    """
    values = (to_datetime, shift_by, to_offset, to_earliest or None, to_latest or None, to_deployment)
    chosen = [(option, value) for option, value in zip(_TARGETS, values, strict=True) if value is not None]
    if len(chosen) != 1:
        raise typer.BadParameter(f"Expected exactly one of {', '.join(_TARGETS)}.")
    if output == Path("-"):
        raise typer.BadParameter("'--output' is a file, which `rewind apply` reads. Standard output has no name.")
    ((option, value),) = chosen
    with open_startpoint_job(job) as found:
        readers = choose_readers(found.facts, inputs or (), tasks or ())
        made = plan_rewind(found, readers, _TARGETS[option](value, found), servers)
        name = re.sub(r"[^A-Za-z0-9._-]", "-", f"{made.job_name}-{made.job_id}-{made.made_at:%Y%m%dT%H%M%SZ}")
        path = output or Path(f"rewind-{name}.json")
        write_new_file(path, made)
        rows = [{**row, "plan_file": str(path)} for row in _rows(made)]
        print_rows(rows, _COLUMNS, title=_title(made), as_json=as_json)
        if not as_json:
            print(_totals(made))
        warn(_warnings(made, found))
    note(f"Wrote {path}. To apply it: coordstream rewind apply {shlex.quote(str(path))}")


@app.command()
def apply(
    plan_file: Annotated[Path, typer.Argument(metavar="PLAN", help="A file of `rewind plan`.")],
    servers: InputServers = None,
    yes: Yes = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check the plan and write nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Apply a plan: the job starts from its offsets at the next start.

    Example: coordstream rewind apply back.json

    Writes startpoints, which the job follows when it starts again within 12 hours. Refuses a plan if the job's
    startpoints, assignments or checkpoints have changed since it was made; checkpoints may have advanced.

    The undo file, beside PLAN, is written first. If this command is interrupted, `rewind undo` undoes what it has
    written.
    """
    given = _read(plan_file, RewindPlan, "rewind plan")
    path = plan_file.with_name(f"{plan_file.name.removesuffix('.json')}.undo.json")
    if path.exists():
        raise RewindError(
            f"'{plan_file}' was applied, wholly or partly: '{path}' exists. Undo and remove it, or make a new plan."
        )
    with open_startpoint_job(given.job_word) as found:
        require_unchanged(given, plan_again(given, found, servers))
        change = replace(
            requests_to_write(found, given, path),
            rows=_rows(given),
            columns=_COLUMNS,
            title=_title(given),
            show_more=lambda: print(_totals(given)),
        )
        try:
            make_change(change, yes=yes, dry_run=dry_run, as_json=as_json)
        except StartpointsChanged as error:
            if not error.is_written:
                path.unlink()
            raise


@app.command()
def undo(
    undo_file: Annotated[Path, typer.Argument(metavar="FILE", help="The undo file that `rewind apply` has written.")],
    force: Annotated[
        bool, typer.Option("--force", help="Even if the job has started since: request its old starting offsets.")
    ] = False,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Undo a rewind, wholly or partly applied: the next start begins where it would have begun without it.

    Example: coordstream rewind undo back.undo.json

    Refused if the job has started from the rewind, or if another writer has changed a startpoint.
    """
    saved = _read(undo_file, UndoFile, "rewind apply")
    with open_startpoint_job(saved.plan.job_word) as found:
        if found.log.stream_id != saved.plan.coordinator_stream_id:
            raise RewindError(f"The coordinator stream of {found.job} was re-created. There is nothing to undo.")
        make_change(requests_to_undo(found, saved, undo_file, force=force), yes=yes, as_json=as_json)


@app.command()
def check(
    plan_file: Annotated[Path, typer.Argument(metavar="PLAN", help="A file of `rewind plan`.")],
    as_json: Json = False,
) -> None:
    """Show whether a job has followed a plan, and how far it has read since.

    Example: coordstream rewind check back.json

    Reads the startpoints and checkpoints in the database since the plan was made. The exit code is 1 unless every task
    has reached the offsets that it had before the rewind.
    """
    given = _read(plan_file, RewindPlan, "rewind plan")
    with open_job(given.job_word) as (connection, found):
        rows = check_rows(connection, found, given)
    print_rows(rows, _CHECK_COLUMNS, title=_title(given), as_json=as_json)
    if any(row["state"] != DONE for row in rows):
        raise typer.Exit(1)


def _read(path: Path, model: type[File], command: str) -> File:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise RewindError(f"Cannot access '{path}': {system_reason(error)}.") from None
    try:
        return model.model_validate_json(data)
    except ValidationError as error:
        other: type[RewindPlan | UndoFile] = UndoFile if model is RewindPlan else RewindPlan
        place = ".".join(map(str, error.errors(include_input=False)[0]["loc"])) or "its JSON"
        named: dict[type[BaseModel], str] = {RewindPlan: "a plan", UndoFile: "an undo file"}
        fault = f"not {named[model]}: {place} is missing or invalid"
        with suppress(ValidationError):
            other.model_validate_json(data)
            fault = f"{named[other]}, not {named[model]}"
        raise RewindError(f"'{path}' is {fault}. Name a file that `coordstream {command}` wrote.") from None


def _rows(plan: RewindPlan) -> list[Row]:
    named = {"job_name": plan.job_name, "job_id": plan.job_id}
    return [{**named, **move.model_dump(mode="json"), "stores": ",".join(move.stores)} for move in plan.moves]


def _title(plan: RewindPlan) -> str:
    return f"Rewind of {plan.job_word} to {plan.target}"


def _totals(plan: RewindPlan) -> str:
    again, skipped = (sum(getattr(move, name) for move in plan.moves) for name in ("records_again", "records_skipped"))
    longest = max(move.seconds_to_catch_up or 0 for move in plan.moves)
    until = f" The slowest task catches up in {timedelta(seconds=longest)}." if longest else ""
    return f"Together at most {again:,} records to read again and {skipped:,} to skip.{until}"


def _warnings(plan: RewindPlan, found: StartpointJob) -> Iterator[str]:
    """What an operator should know before applying the plan, as sentences."""
    for finding, sentence in _FINDINGS.items():
        if places := [str(move) for move in plan.moves if move.finding == finding]:
            yield sentence.format(list_names(places, MOST_LISTED))
    if stores := sorted({store for move in plan.moves for store in move.stores}):
        tasks = sorted({move.task_name for move in plan.moves if move.stores})
        yield (
            f"The contents of {list_names(stores, MOST_LISTED)} stay as they are, and will not match the new position "
            f"of {list_names(tasks, MOST_LISTED)}."
        )
    yield from found.warnings()
