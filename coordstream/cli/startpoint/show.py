"""`coordstream startpoint`: the requests and fan-outs of a job, and their history."""

from typing import Annotated, Final

import typer

from coordstream.cli.arguments import AsOf, AsOfOffset, Csv, JobWord, Json, Newest, Since, Until, Utc, cut_of
from coordstream.cli.output import Column, exact_time_column, print_list, print_rows, time_column
from coordstream.cli.verbs import Verb
from coordstream.database import open_database
from coordstream.messages import note
from coordstream.queries.cut import too_early
from coordstream.queries.rows import Rows, input_partition, state, task_and_partition
from coordstream.queries.startpoints import startpoint_steps, type_and_value
from projections.job_choice import find_job

app = typer.Typer(no_args_is_help=True)
VERBS: Final = (
    Verb("write", "startpoint.write", "write", takes_dashes=True),  # a position such as -2h
    Verb("delete", "startpoint.delete", "delete"),
    Verb("fan-out", "startpoint.fan_out", "fan_out"),
)


REQUEST_COLUMNS: Final = (
    Column("input partition", input_partition),
    Column("task", lambda row: row["task_name"] or "(every task)"),
    Column("start at", type_and_value),
    time_column("requested at", "created_at", drop=2),
    Column("expired", "is_expired"),
    Column("log offset", "log_offset", "right", drop=1),
)
FAN_OUT_COLUMNS: Final = (
    Column("task", "task_name"),
    Column("input partition", input_partition),
    Column("start at", type_and_value),
    time_column("fanned out at", "fanned_out_at", drop=2),
    Column("log offset", "log_offset", "right", drop=1),
)
STEP_COLUMNS: Final = (
    exact_time_column("when", "record_time"),
    Column("step", lambda row: row["status"].replace("_", " ")),
    Column("input partition", input_partition),
    Column("task", lambda row: row["task_name"] or "(every task)"),
    Column("start at", type_and_value),
    Column("log offset", "log_offset", "right", drop=1),
)


@app.command()
def show(
    job: JobWord,
    as_of: AsOf = None,
    as_of_offset: AsOfOffset = None,
    shows_history: Annotated[
        bool, typer.Option("--history", help="Show every step of every startpoint instead.")
    ] = False,
    since: Since = None,
    until: Until = None,
    limit: Newest = None,
    utc: Utc = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Show the requested startpoints, and those fanned out to tasks but not consumed yet."""
    cut = cut_of(as_of, as_of_offset)
    if shows_history and cut.offset is not None:
        raise typer.BadParameter("'--history' and '--as-of-offset' cannot be used together. Use --as-of.")
    if not shows_history and (since, until, limit) != (None, None, None):
        raise typer.BadParameter("'--since', '--until' and '--limit' need --history.")
    with open_database() as database:
        found = find_job(database.connection, job)
        note(too_early(database.connection, found, cut))
        whose = f"{found}{cut}"
        if shows_history:
            steps = startpoint_steps(database.connection, found, as_of, since=since, until=until, limit=limit)
            title = f"Startpoints of {whose}, by step"
            print_rows(steps, STEP_COLUMNS, title=title, as_json=as_json, as_csv=as_csv, utc=utc)
            return
        requests = state(database.connection, "startpoint", found, cut)
        fan_outs = state(database.connection, "startpoint_fan_out", found, cut)
    requests.sort(key=lambda row: int(row["log_offset"]))
    fan_outs.sort(key=task_and_partition)
    if as_json or as_csv:
        print_list(one_list(requests, fan_outs), as_csv=as_csv)
        return
    print_rows(requests, REQUEST_COLUMNS, title=f"Startpoints requested for {whose}", as_json=False, utc=utc)
    print()
    print_rows(fan_outs, FAN_OUT_COLUMNS, title=f"Startpoints fanned out to tasks of {whose}", as_json=False, utc=utc)


def one_list(requests: Rows, fan_outs: Rows) -> Rows:
    """Both relations as one list with a ``status``; a column that a relation does not have is null."""
    columns = list(dict.fromkeys(("status", *requests.columns, *fan_outs.columns)))
    marked = [{"status": "requested", **row} for row in requests]
    marked += [{"status": "fanned_out", **row} for row in fan_outs]
    return Rows(columns, ({name: row.get(name) for name in columns} for row in marked))
