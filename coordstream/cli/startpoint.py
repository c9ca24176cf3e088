"""`coordstream startpoint`: what was requested, and what it was fanned out to; requesting, and taking back."""

from typing import Annotated, Final

import typer

from coordstream.cli.cut import Cut
from coordstream.cli.database import open_database
from coordstream.cli.jobs import find_job
from coordstream.cli.nothing_found import note, too_early
from coordstream.cli.options import AsOf, AsOfOffset, JobWord, Json, Utc
from coordstream.cli.rows import Row, state
from coordstream.cli.startpoint_delete import delete
from coordstream.cli.startpoint_fan_out import fan_out
from coordstream.cli.startpoint_write import write
from coordstream.cli.tables import Column, input_partition, print_json, print_rows, time_column

app = typer.Typer(no_args_is_help=True)
app.command()(write)
app.command()(delete)
app.command("fan-out")(fan_out)


def place_to_start(row: Row) -> str:
    """Where a startpoint says to begin, such as ``specific 20``."""
    value = row["startpoint_value"]
    return row["startpoint_type"] if value is None else f"{row['startpoint_type']} {value}"


REQUEST_COLUMNS: Final = (
    Column("input partition", input_partition),
    Column("task", lambda row: row["task_name"] or "(every task)"),
    Column("start at", place_to_start),
    time_column("requested at", "created_at"),
    Column("expired", "is_expired"),
    Column("log offset", "log_offset", "right"),
)
FAN_OUT_COLUMNS: Final = (
    Column("task", "task_name"),
    Column("input partition", input_partition),
    Column("start at", place_to_start),
    time_column("fanned out at", "fanned_out_at"),
    Column("log offset", "log_offset", "right"),
)
STEP_COLUMNS: Final = (
    time_column("when", "record_time"),
    Column("step", lambda row: row["status"].replace("_", " ")),
    Column("input partition", input_partition),
    Column("task", lambda row: row["task_name"] or "(every task)"),
    Column("start at", place_to_start),
    Column("log offset", "log_offset", "right"),
)


@app.callback()
def startpoint() -> None:
    """Startpoints: where a job is asked to start from, instead of its checkpoints."""


@app.command()
def show(
    job: JobWord,
    as_of: AsOf = None,
    as_of_offset: AsOfOffset = None,
    shows_history: Annotated[
        bool, typer.Option("--history", help="Instead: every step of every startpoint, from its request to its end.")
    ] = False,
    utc: Utc = False,
    as_json: Json = False,
) -> None:
    """Show startpoints that were requested and those that were fanned out to tasks and not used up yet."""
    cut = Cut.of(as_of, as_of_offset)
    if shows_history and cut.offset is not None:
        raise typer.BadParameter("--history goes to a time: give --as-of instead of --as-of-offset")
    with open_database() as database:
        found = find_job(database.connection, job)
        note(too_early(database.connection, found, cut))
        whose = f"{found}{cut}"
        if shows_history:
            steps = sorted(state(database.connection, "startpoint_history", found, cut), key=step_order)
            print_rows(steps, STEP_COLUMNS, title=f"Startpoints of {whose}, by step", as_json=as_json, utc=utc)
            return
        requests = sorted(state(database.connection, "startpoint", found, cut), key=lambda row: int(row["log_offset"]))
        fan_outs = sorted(state(database.connection, "startpoint_fan_out", found, cut), key=_by_task)
    if as_json:
        print_json(one_list(requests, fan_outs))
        return
    print_rows(requests, REQUEST_COLUMNS, title=f"Startpoints requested for {whose}", as_json=False, utc=utc)
    print()
    print_rows(fan_outs, FAN_OUT_COLUMNS, title=f"Startpoints fanned out to tasks of {whose}", as_json=False, utc=utc)


def step_order(row: Row) -> tuple[int, str, int, str, str, int, str]:
    """By time and not by offset: no event says that a startpoint expired, so that such a step has none."""
    time = (row["record_time"] or "").removesuffix("Z")
    offset = -1 if row["log_offset"] is None else row["log_offset"]
    partition = row["system_name"], row["stream_name"], row["partition_id"]
    return row["incarnation"], time, offset, *partition, row["task_name"] or ""


def one_list(requests: list[Row], fan_outs: list[Row]) -> list[Row]:
    """Both relations as one list, told apart by ``status``; a column that a row's relation lacks is null."""
    marked = [{"status": "requested", **row} for row in requests] + [
        {"status": "fanned_out", **row} for row in fan_outs
    ]
    columns = dict.fromkeys(name for row in marked for name in row)
    return [{name: row.get(name) for name in columns} for row in marked]


def _by_task(row: Row) -> tuple[str, str, str, int]:
    return row["task_name"], row["system_name"], row["stream_name"], row["partition_id"]
