"""`coordstream config`: a job's config, now and before, and who changed it."""

from datetime import datetime
from typing import Annotated, Final

import typer

from coordstream.cli.arguments import AsOf, JobWord, Json, Newest, Since, Until, UtcAsOf, time_option
from coordstream.cli.config_write import delete_key, set_key, write_file
from coordstream.cli.output import Column, exact_time_column, print_rows, time_column
from coordstream.database import open_database, open_job
from coordstream.errors import note
from coordstream.queries.config import differences, matching, matching_keys, newest_deployments, no_match, writer
from coordstream.queries.history import History, select_history
from coordstream.queries.rows import Cut, Row, outside, printable, state
from eventlog.postgres.connection import Connection, snapshot
from projections.job_choice import Job, find_job

app = typer.Typer()

KeyPattern = Annotated[
    str | None, typer.Option("--key", metavar="PATTERN", help="Show matching keys only, such as 'systems.*'.")
]

DEPLOYMENT_COLUMNS: Final = (
    Column("deployment", "deployment_number", "right"),
    Column("run", "run_number", "right"),
    exact_time_column("began", "first_record_time"),
    Column("by", writer, drop=1),
    Column("set", "keys_set", "right"),
    Column("changed", "keys_changed", "right"),
    Column("deleted", "keys_deleted", "right"),
    Column("offsets", lambda row: f"{row['first_log_offset']}–{row['last_log_offset']}", drop=2),
)
DIFFERENCE_COLUMNS: Final = (Column("key", "config_key"), Column("difference", "difference", no_wrap=True))


@app.command()
def diff(
    job: JobWord,
    other_job: Annotated[
        str | None, typer.Argument(metavar="JOB2", help="Compare with this job instead of another time.")
    ] = None,
    from_time: Annotated[datetime | None, time_option("--from", help="The earlier time.")] = None,
    to_time: Annotated[datetime | None, time_option("--to", help="The later time (default: now).")] = None,
    key: KeyPattern = None,
    as_json: Json = False,
) -> None:
    """Compare the config of a job at two times (--from, --to), or the config of two jobs.

    Exit code 0: equal; 1: different. Secrets are shown as fingerprints.

    Example: coordstream config diff wordcount --from '2 hours ago'
    """
    if other_job is None and from_time is None:
        raise typer.BadParameter("Expected a second job, or --from TIME to compare the job with itself.")
    if other_job is None and from_time and to_time and from_time > to_time:
        raise typer.BadParameter("'--from' is after '--to'.")
    sides = (job, Cut(from_time)), (other_job or job, Cut(to_time))
    with open_database() as database:
        jobs = [find_job(database.connection, word) for word, _ in sides]
        before, after = (
            _config(database.connection, found, cut, key) for found, (_, cut) in zip(jobs, sides, strict=True)
        )
        if key and not before and not after:
            note(no_match(database.connection, jobs[0], key))
        rows = list(differences(before, after))
    first, second = (f"{found}{str(cut) or ' now'}" for found, (_, cut) in zip(jobs, sides, strict=True))
    title = f"Config from {first} to {second}"
    headings = ("from", "to") if jobs[0] == jobs[1] else map(str, jobs)
    columns = [Column(heading, f"{side}_value") for heading, side in zip(headings, ("from", "to"), strict=True)]
    print_rows(rows, [*DIFFERENCE_COLUMNS, *columns], title=title, as_json=as_json)
    if rows:
        raise typer.Exit(1)


def _config(connection: Connection, job: Job, cut: Cut, key: str | None) -> list[Row]:
    note(outside(connection, job, cut))
    return list(matching(state(connection, "config", job, cut), key))


def change(row: Row) -> str:
    """The old and the new value of a key."""
    return f"{printable(row['previous_value'], None)} → {printable(row['config_value'], None)}"


CONFIG_COLUMNS: Final = (
    Column("key", "config_key"),
    Column("value", "config_value"),
    time_column("set at", "message_time", drop=1),
    Column("by", writer, drop=2),
)
HISTORY_COLUMNS: Final = (
    Column("offset", "log_offset", "right"),
    exact_time_column("time", "record_time"),
    Column("by", writer, drop=1),
    Column("key", "config_key"),
    Column("value", lambda row: "(deleted)" if row["operation"] == "delete" else row["config_value"]),
)
CHANGE_COLUMNS: Final = (*HISTORY_COLUMNS[:-1], Column("old → new", change))


@app.command()
def show(
    job: JobWord,
    as_of: AsOf = None,
    key: KeyPattern = None,
    utc: UtcAsOf = False,
    as_json: Json = False,
) -> None:
    """Show a job's config, with fingerprints in place of secrets.

    Example: coordstream config show wordcount --key 'task.*'
    """
    cut = Cut(as_of)
    with open_job(job, cut) as (connection, found):
        rows = list(matching(state(connection, "config", found, cut), key))
        note(no_match(connection, found, key) if key and not rows else "")
    rows.sort(key=lambda row: str(row["config_key"]))
    print_rows(rows, CONFIG_COLUMNS, title=f"Config of {found}{cut}", as_json=as_json, utc=utc, clock=cut.clock)


@app.command("history")
def show_history(
    job: JobWord,
    as_of: AsOf = None,
    since: Since = None,
    until: Until = None,
    key: KeyPattern = None,
    changes: Annotated[bool, typer.Option("--changes", help="Leave out events that did not change a value.")] = False,
    deployments: Annotated[
        bool, typer.Option("--deployments", help="Show one row per deployment: a burst of config events by one writer.")
    ] = False,
    limit: Newest = None,
    as_json: Json = False,
) -> None:
    """Show who set or deleted which key, and when.

    Each deployment sets every key again; --changes shows real changes only.

    Example: coordstream config history wordcount --changes --since yesterday
    """
    cut = Cut(as_of)
    if deployments:
        if key or changes or cut != Cut():
            raise typer.BadParameter("'--deployments' cannot be used with --key, --changes or --as-of.")
        with open_job(job) as (connection, found):
            rows = newest_deployments(connection, found, since=since, until=until, limit=limit)
        title = f"Deployments of {found}"
        print_rows(rows, DEPLOYMENT_COLUMNS, title=title, as_json=as_json)
        return
    relation, columns = ("config_change", CHANGE_COLUMNS) if changes else ("config_history", HISTORY_COLUMNS)
    with open_job(job, cut) as (connection, found):
        keys = None if key is None else matching_keys(connection, found, key)
        note(no_match(connection, found, key) if key and not keys else "")
        history = History(relation, None, (), cut, since, until, limit, {"config_key": keys})
        title = f"Config {'changes' if changes else 'history'} of {found}{cut}"
        with snapshot(connection):
            events = select_history(connection, found, history)
            print_rows(events, columns, title=title, as_json=as_json)


# a value such as -1 or -Xmx512M is not an option
app.command("set", context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"]})(set_key)
app.command("delete")(delete_key)
app.command("write")(write_file)
