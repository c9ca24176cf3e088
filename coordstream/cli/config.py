"""`coordstream config`: a job's configuration, now and before, who changed what, and changing it."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Final

import typer

from coordstream.cli.config_diff import diff
from coordstream.cli.config_keys import KeyPattern, matching
from coordstream.cli.config_write import delete_key, set_key
from coordstream.cli.cut import Cut
from coordstream.cli.database import open_database
from coordstream.cli.jobs import find_job
from coordstream.cli.nothing_found import note, too_early, unmatched_key
from coordstream.cli.options import AsOf, AsOfOffset, JobWord, Json, Newest, Utc
from coordstream.cli.rows import Row, history, state
from coordstream.cli.tables import Column, print_rows, printable, time_column

app = typer.Typer(no_args_is_help=True)
app.command()(diff)
# a value may begin with a dash, such as -1 or -Xmx512M
app.command("set", context_settings={"ignore_unknown_options": True})(set_key)
app.command("delete")(delete_key)


def writer(row: Row) -> str:
    """Who wrote an event: its source, user and host."""
    if row["source"] is None:
        return "–"
    return f"{row['source']} ({row['username']}@{row['host']})"


CONFIG_COLUMNS: Final = (
    Column("key", "config_key"),
    Column("value", "config_value"),
    time_column("set at", "message_time"),
    Column("by", writer),
)
HISTORY_COLUMNS: Final = (
    Column("offset", "log_offset", "right"),
    time_column("time", "record_time"),
    Column("by", writer),
    Column("key", "config_key"),
    Column("value", lambda row: "(deleted)" if row["operation"] == "delete" else row["config_value"]),
)
CHANGE_COLUMNS: Final = (
    *HISTORY_COLUMNS[:-1],
    Column("old → new", lambda row: f"{printable(row['previous_value'])} → {printable(_new_value(row))}"),
)


@app.command()
def show(
    job: JobWord,
    as_of: AsOf = None,
    as_of_offset: AsOfOffset = None,
    key: KeyPattern = None,
    utc: Utc = False,
    as_json: Json = False,
) -> None:
    """Show a job's configuration; values that are secrets show as fingerprints."""
    cut = Cut.of(as_of, as_of_offset)
    with open_database() as database:
        found = find_job(database.connection, job)
        note(too_early(database.connection, found, cut))
        rows = list(matching(state(database.connection, "config", found, cut), key))
        note(unmatched_key(database.connection, found, key) if key and not rows else "")
    ordered = sorted(rows, key=lambda row: str(row["config_key"]))
    print_rows(ordered, CONFIG_COLUMNS, title=f"Config of {found}{cut}", as_json=as_json, utc=utc)


@app.command("history")
def show_history(
    job: JobWord,
    as_of: AsOf = None,
    as_of_offset: AsOfOffset = None,
    key: KeyPattern = None,
    changes: Annotated[bool, typer.Option("--changes", help="Leave out what set a key to the value it had.")] = False,
    limit: Newest = None,
    utc: Utc = False,
    as_json: Json = False,
) -> None:
    """Show who set and deleted which key when. A deploy sets every key again: --changes leaves that out."""
    cut = Cut.of(as_of, as_of_offset)
    with open_database() as database:
        found = find_job(database.connection, job)
        note(too_early(database.connection, found, cut))
        rows = list(matching(history(database.connection, "config_history", found, cut, "coordinator"), key))
        note(unmatched_key(database.connection, found, key) if key and not rows else "")
    shown = list(changes_only(rows)) if changes else rows
    title = f"Config {'changes' if changes else 'history'} of {found}{cut}"
    columns = CHANGE_COLUMNS if changes else HISTORY_COLUMNS
    print_rows(shown[-limit:] if limit else shown, columns, title=title, as_json=as_json, utc=utc)


def changes_only(rows: Iterable[Row]) -> Iterator[Row]:
    """The rows of a history, in order, that changed a key's value, each with its ``previous_value``."""
    values: dict[str, str | None] = {}
    for row in rows:
        key, new = row["config_key"], _new_value(row)
        previous = values.get(key)
        if new != previous:
            yield {**row, "previous_value": previous}
        values[key] = new


def _new_value(row: Row) -> str | None:
    return None if row["operation"] == "delete" else row["config_value"]
