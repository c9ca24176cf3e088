"""`coordstream startpoint delete`: delete requests that are not fanned out yet."""

from collections.abc import Collection, Sequence
from typing import Annotated, Final, NamedTuple

import typer

from coordstream.cli.arguments import Csv, JobWord, Json, Tasks, Yes
from coordstream.cli.job.startpoint_job import StartpointJob, open_startpoint_job
from coordstream.cli.output import Column, confirm, print_list, print_rows
from coordstream.cli.positions import Input, parse_input
from coordstream.cli.startpoint.plan import start_columns
from coordstream.cli.startpoint.undo_commands import write_commands
from coordstream.cli.startpoint.write import (
    INPUT_HELP,
    START_COLUMNS,
    change_requests,
    count_startpoints,
    print_commands,
)
from coordstream.errors import CoordstreamError
from coordstream.messages import warn
from coordstream.queries.rows import Row
from coordstream.queries.startpoints import describe_startpoint
from eventlog.errors import list_names
from eventlog.log import require_writable, system_clock
from eventlog.partition import StartpointKey, startpoint_key_readings
from eventlog.startpoint import is_expired
from eventlog.timestamps import ms_of
from managers.startpoints.next_starts import changed_starts
from managers.startpoints.startpoint_records import request_keys
from managers.stores.coordinator_store import CoordinatorStreamStore

REQUEST_COLUMNS: Final = (Column("request", "startpoint_key"), Column("starts", "old_request"))


class DeletePlan(NamedTuple):
    """The requests to delete, by the texts of their keys."""

    job: StartpointJob
    texts: Sequence[str]
    now_ms: int


def delete(
    job: JobWord,
    given: Annotated[str | None, typer.Argument(metavar="INPUT", help=INPUT_HELP)] = None,
    tasks: Tasks = None,
    everything: Annotated[bool, typer.Option("--all", help="Delete every request of the job, for any task.")] = False,
    yes: Yes = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the changes and delete nothing.")] = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Delete requested startpoints.

    Deletes requests for every task, or those for single tasks with --task. Startpoints already fanned out to tasks
    stay; `startpoint show` lists both.
    """
    if everything is (given is not None) or (everything and tasks):
        raise typer.BadParameter("Expected an INPUT, or --all without INPUT and --task.")
    with open_startpoint_job(job, system_clock) as found:
        with CoordinatorStreamStore(found.log) as store:
            known = request_keys(store)
        texts = chosen(known, found, given, tasks or ())
        plan = DeletePlan(found, texts, ms_of(system_clock()))
        if not texts:
            raise CoordstreamError(_nothing_to_delete(found, known, given))
        if not dry_run:
            require_writable(found.log)
        if not (as_json or as_csv):
            _print_plan(plan)
        warn(found.warnings())
        if not dry_run:
            confirm(f"Delete {count_startpoints(len(texts))}?", yes=yes, done="deleted")
            change_requests(found, dict.fromkeys(texts))
    if as_json or as_csv:
        print_list([{**row, "is_deleted": not dry_run} for row in request_rows(plan)], as_csv=as_csv)
    elif dry_run:
        print("Nothing was deleted (dry run).")
    else:
        _print_result(plan)


def chosen(texts: Collection[str], found: StartpointJob, given: str | None, tasks: Collection[str]) -> list[str]:
    """The keys of the requests for an input and some tasks; ``given`` None: all."""
    if given is None:
        return list(texts)
    readings = {text: startpoint_key_readings(text) for text in texts}
    streams = {(key.partition.system, key.partition.stream) for keys in readings.values() for key in keys}
    input_ = parse_input(given, streams | found.facts.streams)
    return [text for text, keys in readings.items() if any(_is_chosen(key, input_, tasks) for key in keys)]


def request_rows(plan: DeletePlan) -> list[Row]:
    """A row for each request to delete; type and value are null if they cannot be read."""
    requests = plan.job.facts.requests
    return [
        {
            "job_name": plan.job.job.name,
            "job_id": plan.job.job.id,
            "startpoint_key": text,
            "startpoint_type": requests[text].kind if text in requests else None,
            "startpoint_value": requests[text].value if text in requests else None,
        }
        for text in plan.texts
    ]


def _is_chosen(key: StartpointKey, input_: Input, tasks: Collection[str]) -> bool:
    partition = key.partition
    is_task = key.task_name in tasks if tasks else key.task_name is None
    is_stream = (partition.system, partition.stream) == (input_.system, input_.stream)
    return is_task and is_stream and (input_.partitions is None or partition.partition in input_.partitions)


def _print_plan(plan: DeletePlan) -> None:
    job, requests = plan.job, plan.job.facts.requests
    rows = [
        {**row, "old_request": describe_startpoint(requests[text]) if text in requests else "(unreadable)"}
        for text, row in zip(plan.texts, request_rows(plan), strict=True)
    ]
    print_rows(rows, REQUEST_COLUMNS, title=f"Startpoint requests of {job.job} to delete", as_json=False)
    left = {text: each for text, each in requests.items() if text not in plan.texts}
    starts = changed_starts(job.facts, job.checkpoints, left, plan.now_ms)
    print()
    title = f"Next start of {job.job} without them"
    print_rows([start_columns(start) for start in starts], START_COLUMNS, title=title, as_json=False)


def _print_result(plan: DeletePlan) -> None:
    print(f"{count_startpoints(len(plan.texts))} deleted.")
    requests = plan.job.facts.requests
    readable = {text: requests[text] for text in plan.texts if text in requests}
    unexpired = {text: each for text, each in readable.items() if not is_expired(each, plan.now_ms)}
    print_commands("To undo:", write_commands(plan.job.job, unexpired))


def _nothing_to_delete(found: StartpointJob, texts: Sequence[str], given: str | None) -> str:
    if given is not None and _is_fanned_out(found, parse_input(given, found.facts.streams)):
        return (
            f"The request for {given} is already fanned out to tasks, which start there until they have consumed it. "
            "Write another startpoint instead."
        )
    if not texts:
        return f"Nothing to delete: {found.job} has no requested startpoints."
    return f"No matching request for {given}. Requests: {list_names(texts)}. Use --task for a request of a single task."


def _is_fanned_out(found: StartpointJob, input_: Input) -> bool:
    keys = [StartpointKey(partition) for partitions in found.facts.fanned_out.values() for partition in partitions]
    return any(_is_chosen(key, input_, ()) for key in keys)
