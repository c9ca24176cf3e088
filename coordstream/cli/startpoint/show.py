"""`coordstream startpoint`: the requests and fan-outs of a job, and their history."""

from datetime import datetime
from typing import Annotated, Final

import typer
from psycopg import sql

from coordstream.cli.arguments.options import AsOf, AsOfOffset, Csv, JobWord, Json, Newest, Since, Until, Utc
from coordstream.cli.database import open_database
from coordstream.cli.messages import note
from coordstream.cli.output.formats import print_list
from coordstream.cli.output.tables import Column, exact_time_column, input_partition, print_rows, time_column
from coordstream.cli.query.cut import Cut, too_early
from coordstream.cli.query.rows import Rows, fetch, job_values, state, task_and_partition
from coordstream.cli.startpoint.places import type_and_value
from coordstream.cli.verbs import Verb
from eventlog.postgres.connection import Connection
from projections.job_choice import Job, find_job

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
    cut = Cut.of(as_of, as_of_offset)
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


_NOW: Final = sql.SQL("coordinator.startpoint_history")
_AS_OF: Final = sql.SQL("coordinator.startpoint_history_as_of(%(name)s, %(id)s, %(as_of)s)")
# sorted by time, not by offset: no event records that a startpoint expired
_STEPS: Final = sql.SQL(
    """
    select n.* from (
      select h.* from {source} h
      where h.job_name = %(name)s and h.job_id = %(id)s
        and (%(since)s::timestamptz is null or h.record_time >= %(since)s)
        and (%(until)s::timestamptz is null or h.record_time <= %(until)s)
      order by h.incarnation desc, h.record_time desc nulls last, h.log_offset desc nulls last, h.system_name desc,
        h.stream_name desc, h.partition_id desc, h.key_bucket desc, h.task_name desc nulls last,
        h.created_at desc, h.status desc
      limit %(limit)s) n
    order by n.incarnation, n.record_time nulls first, n.log_offset nulls first, n.system_name,
      n.stream_name, n.partition_id, n.key_bucket, n.task_name nulls first, n.created_at, n.status
    """
)


def startpoint_steps(
    connection: Connection,
    job: Job,
    as_of: datetime | None,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int | None = None,
) -> Rows:
    """The newest ``limit`` steps of a job's startpoints, sorted by time, as of a time or now.

    ``since`` and ``until`` are inclusive and compare with the time of the step.
    """
    query = _STEPS.format(source=_NOW if as_of is None else _AS_OF)
    return fetch(connection, query, {**job_values(job), "as_of": as_of, "since": since, "until": until, "limit": limit})
