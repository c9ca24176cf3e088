"""`coordstream startpoint delete`: requests taken back before anybody was handed them."""

import sys
from collections.abc import Collection, Sequence
from typing import Annotated, Final, NamedTuple

import typer

from coordstream.cli.arguments.input import GivenInput, parse_input
from coordstream.cli.arguments.options import Csv, JobWord, Json, Tasks
from coordstream.cli.completion import complete_input
from coordstream.cli.confirmation import ask
from coordstream.cli.output.formats import print_list
from coordstream.cli.output.tables import Column, print_rows
from coordstream.cli.query.rows import Row
from coordstream.cli.startpoint.job import StartpointJob, open_startpoint_job
from coordstream.cli.startpoint.request import start_columns
from coordstream.cli.startpoint.undo import write_commands
from coordstream.cli.startpoint.wording import listed, startpoint_place
from coordstream.cli.startpoint.write import INPUT_HELP, START_COLUMNS, counted
from coordstream.errors import CoordstreamError
from eventlog.log import system_clock
from eventlog.partition import StartpointKey, startpoint_key_readings
from eventlog.startpoint import is_expired
from eventlog.timestamps import ms_of
from managers.startpoints.startpoint_plan import changed_starts
from managers.startpoints.startpoint_records import delete_requests, request_keys
from managers.stores.coordinator_store import CoordinatorStreamStore

REQUEST_COLUMNS: Final = (Column("requested for", "startpoint_key"), Column("to start", "old_request"))


class Taken(NamedTuple):
    """Requests that are to be taken back, by the texts of their keys."""

    found: StartpointJob
    texts: Sequence[str]
    now_ms: int


def delete(
    job: JobWord,
    given: Annotated[
        str | None, typer.Argument(metavar="[INPUT]", help=INPUT_HELP, autocompletion=complete_input)
    ] = None,
    tasks: Tasks = None,
    everything: Annotated[
        bool, typer.Option("--all", help="All that is requested of the job, for whichever task.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would happen, and delete nothing.")] = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Take requested startpoints back: those for every task, or with --task those for some tasks alone.

    What tasks were handed already stays with them: `startpoint show` lists both.
    """
    if everything is (given is not None) or (everything and tasks):
        raise typer.BadParameter("give the INPUT whose startpoints are to be deleted, or --all")
    with open_startpoint_job(job, system_clock) as found, CoordinatorStreamStore(found.log) as store:
        texts = chosen(request_keys(store), found, given, tasks or ())
        taken = Taken(found, texts, ms_of(system_clock()))
        if not texts:
            raise CoordstreamError(_nothing(found, request_keys(store), given))
        if not dry_run:
            found.require_writable()
        _show(taken, as_json=as_json or as_csv)
        if not dry_run:
            ask(f"Delete {counted(len(texts))}?", yes=yes, done="deleted")
            delete_requests(store, texts)
    if as_json or as_csv:
        print_list([{**row, "is_deleted": not dry_run} for row in request_rows(taken)], as_csv=as_csv)
    else:
        _tell(taken, dry_run=dry_run)


def chosen(texts: Collection[str], found: StartpointJob, given: str | None, tasks: Collection[str]) -> list[str]:
    """The keys of requests that are meant; ``given`` None: all."""
    if given is None:
        return list(texts)
    readings = {text: startpoint_key_readings(text) for text in texts}
    streams = {(key.partition.system, key.partition.stream) for keys in readings.values() for key in keys}
    meant = parse_input(given, streams | found.facts.streams)
    return [text for text, keys in readings.items() if any(_is_meant(key, meant, tasks) for key in keys)]


def request_rows(taken: Taken) -> list[Row]:
    """A row a request that is deleted; the place is null where its value can't be read."""
    requests = taken.found.facts.requests
    return [
        {
            "job_name": taken.found.job.name,
            "job_id": taken.found.job.id,
            "startpoint_key": text,
            "startpoint_type": requests[text].kind if text in requests else None,
            "startpoint_value": requests[text].value if text in requests else None,
        }
        for text in taken.texts
    ]


def _is_meant(key: StartpointKey, meant: GivenInput, tasks: Collection[str]) -> bool:
    partition = key.partition
    is_task = key.task_name in tasks if tasks else key.task_name is None
    is_stream = (partition.system, partition.stream) == (meant.system, meant.stream)
    return is_task and is_stream and (meant.partitions is None or partition.partition in meant.partitions)


def _show(taken: Taken, *, as_json: bool) -> None:
    if not as_json:
        _show_tables(taken)
        sys.stdout.flush()
    for sentence in taken.found.warnings():
        print(f"warning: {sentence}", file=sys.stderr)


def _show_tables(taken: Taken) -> None:
    found, requests = taken.found, taken.found.facts.requests
    rows = [
        {**row, "old_request": startpoint_place(requests[text]) if text in requests else "(can't be read)"}
        for text, row in zip(taken.texts, request_rows(taken), strict=True)
    ]
    print_rows(
        rows, REQUEST_COLUMNS, title=f"Startpoints requested for {found.job} that would be deleted", as_json=False
    )
    left = {text: each for text, each in requests.items() if text not in taken.texts}
    starts = changed_starts(found.facts, found.checkpoints, left, taken.now_ms)
    print()
    shown = [start_columns(start) for start in starts]
    print_rows(shown, START_COLUMNS, title=f"Starts of {found.job} without them", as_json=False)


def _tell(taken: Taken, *, dry_run: bool) -> None:
    if dry_run:
        print("Nothing was deleted: this was a dry run.")
        return
    print(f"{counted(len(taken.texts))} deleted.")
    requests = taken.found.facts.requests
    living = {text: requests[text] for text in taken.texts if text in requests}
    again = {text: each for text, each in living.items() if not is_expired(each, taken.now_ms)}
    if commands := write_commands(taken.found.job, again):
        print("To request them again:")
        for command in commands:
            print(f"  {command}")


def _nothing(found: StartpointJob, texts: Sequence[str], given: str | None) -> str:
    if given is not None and _is_handed_out(found, parse_input(given, found.facts.streams)):
        return (
            f"what was requested for {given} has been handed to tasks, who start there until they have read something: "
            "to start elsewhere, write another startpoint."
        )
    if not texts:
        return f"job {found.job} has no startpoint requested: there is nothing to delete."
    return (
        f"no startpoint is requested for {given} like that: there are {listed(texts, 10)}; a task is named with --task."
    )


def _is_handed_out(found: StartpointJob, meant: GivenInput) -> bool:
    keys = [StartpointKey(partition) for held in found.facts.fanned_out.values() for partition in held]
    return any(_is_meant(key, meant, ()) for key in keys)
