"""`coordstream config`: a job's config, now and before, and who changed it."""

from typing import Annotated, Final

import typer

from coordstream.cli.arguments import AsOf, AsOfOffset, Csv, JobWord, Json, Newest, Since, Until, Utc, cut_of
from coordstream.cli.config.deployments import print_deployments
from coordstream.cli.config.diff import diff
from coordstream.cli.config.keys import KeyPattern
from coordstream.cli.output import Column, exact_time_column, print_rows, time_column
from coordstream.cli.verbs import Verb
from coordstream.database import open_database
from coordstream.messages import note
from coordstream.queries.config import matching, matching_keys, no_match, writer
from coordstream.queries.cut import Cut, too_early
from coordstream.queries.history import History, open_history
from coordstream.queries.rows import Row, Rows, printable, state
from projections.job_choice import find_job

app = typer.Typer(no_args_is_help=True)
app.command()(diff)
VERBS: Final = (
    Verb("set", "config.write", "set_key", takes_dashes=True),  # a value such as -1 or -Xmx512M
    Verb("delete", "config.write", "delete_key"),
    Verb("write", "config.submit", "write_file"),
    Verb("check", "config.submit", "check_file"),
)


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
    as_of_offset: AsOfOffset = None,
    key: KeyPattern = None,
    utc: Utc = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Show a job's config, with fingerprints instead of secrets."""
    cut = cut_of(as_of, as_of_offset)
    with open_database() as database:
        found = find_job(database.connection, job)
        note(too_early(database.connection, found, cut))
        every = state(database.connection, "config", found, cut)
        rows = Rows(every.columns, matching(every, key))
        note(no_match(database.connection, found, key) if key and not rows else "")
    rows.sort(key=lambda row: str(row["config_key"]))
    print_rows(rows, CONFIG_COLUMNS, title=f"Config of {found}{cut}", as_json=as_json, as_csv=as_csv, utc=utc)


@app.command("history")
def show_history(
    job: JobWord,
    as_of: AsOf = None,
    as_of_offset: AsOfOffset = None,
    since: Since = None,
    until: Until = None,
    key: KeyPattern = None,
    changes: Annotated[bool, typer.Option("--changes", help="Leave out events that did not change a value.")] = False,
    deployments: Annotated[
        bool, typer.Option("--deployments", help="Show one row per deployment: a burst of config events by one writer.")
    ] = False,
    limit: Newest = None,
    utc: Utc = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Show who set or deleted which key, and when.

    Each deployment sets every key again; --changes shows real changes only.
    """
    cut = cut_of(as_of, as_of_offset)
    if deployments:
        if key or changes or cut != Cut():
            raise typer.BadParameter("'--deployments' cannot be used with --key, --changes, --as-of or --as-of-offset.")
        print_deployments(job, since, until, limit, utc=utc, as_json=as_json, as_csv=as_csv)
        return
    relation, columns = ("config_change", CHANGE_COLUMNS) if changes else ("config_history", HISTORY_COLUMNS)
    with open_database() as database:
        found = find_job(database.connection, job)
        note(too_early(database.connection, found, cut))
        keys = None if key is None else matching_keys(database.connection, found, key)
        note(no_match(database.connection, found, key) if key and not keys else "")
        history = History(relation, None, (), "coordinator", cut, since, until, limit, {"config_key": keys})
        title = f"Config {'changes' if changes else 'history'} of {found}{cut}"
        with open_history(database.connection, found, history) as rows:
            print_rows(rows, columns, title=title, as_json=as_json, as_csv=as_csv, utc=utc)
