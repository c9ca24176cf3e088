"""`coordstream config diff`: the differences between two times of a job's config, or between two jobs."""

from datetime import datetime
from typing import Annotated, Any, Final, NamedTuple

import typer

from coordstream.cli.arguments import AsOf, Csv, JobWord, Json, complete_job, parse_time
from coordstream.cli.config.keys import KeyPattern
from coordstream.cli.output import Column, print_rows
from coordstream.database import open_database
from coordstream.messages import note
from coordstream.queries.config import differences, matching, no_match
from coordstream.queries.cut import Cut, too_early
from coordstream.queries.rows import Row, Rows, state
from eventlog.postgres.connection import Connection
from eventlog.secret_policy import FINGERPRINT_PREFIX
from projections.job_choice import Job, find_job

From = Annotated[datetime | None, typer.Option("--from", metavar="TIME", parser=parse_time, help="The earlier time.")]
To = Annotated[
    datetime | None, typer.Option("--to", metavar="TIME", parser=parse_time, help="The later time (default: now).")
]
OtherJob = Annotated[
    str | None,
    typer.Argument(metavar="JOB2", help="Compare with this job instead of another time.", autocompletion=complete_job),
]
DIFFERENCE: Final = ("config_key", "difference", "from_value", "to_value", "is_sensitive")
SHOWN_DIGITS: Final = 12


class Side(NamedTuple):
    """One side of the comparison: a job, as the user typed it, at a time."""

    job: str
    cut: Cut


def shown_value(heading: str, name: str) -> Column:
    """A column of values; of a secret's fingerprint only the first digits are shown."""

    def content(row: Row) -> Any:
        value = row[name]
        is_fingerprint = isinstance(value, str) and value.startswith(FINGERPRINT_PREFIX)
        return f"{value[: len(FINGERPRINT_PREFIX) + SHOWN_DIGITS]}…" if is_fingerprint else value

    return Column(heading, content)


def columns(first: str, second: str) -> tuple[Column, ...]:
    """The columns of a table: 'added' and 'removed' for two times of a job, 'only in JOB' for two jobs."""
    if first == second:
        words, headings = {}, ("from", "to")
    else:
        words, headings = {"removed": f"only in {first}", "added": f"only in {second}"}, (first, second)
    return (
        Column("key", "config_key"),
        Column("difference", lambda row: words.get(row["difference"], row["difference"]), no_wrap=True),
        shown_value(headings[0], "from_value"),
        shown_value(headings[1], "to_value"),
    )


def diff(
    job: JobWord,
    other_job: OtherJob = None,
    from_time: From = None,
    to_time: To = None,
    as_of: AsOf = None,
    key: KeyPattern = None,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Compare the config of a job at two times (--from, --to), or the config of two jobs.

    Exit code 0: equal; 1: different. Secrets are shown as fingerprints.
    """
    sides = chosen_sides(job, other_job, from_time, to_time, as_of)
    with open_database() as database:
        jobs = [find_job(database.connection, side.job) for side in sides]
        before, after = (
            _config(database.connection, found, side.cut, key) for found, side in zip(jobs, sides, strict=True)
        )
        if key and not before and not after:
            note(no_match(database.connection, jobs[0], key))
        rows = Rows(DIFFERENCE, differences(before, after))
    first, second = (f"{found}{str(side.cut) or ' now'}" for found, side in zip(jobs, sides, strict=True))
    title = f"Config from {first} to {second}"
    print_rows(rows, columns(*map(str, jobs)), title=title, as_json=as_json, as_csv=as_csv)
    if rows:
        raise typer.Exit(1)


def chosen_sides(
    job: str, other_job: str | None, from_time: datetime | None, to_time: datetime | None, as_of: datetime | None
) -> tuple[Side, Side]:
    """The two sides to compare.

    Raises:
        typer.BadParameter: There is only one side, or the times contradict each other.
    """
    if other_job is None:
        if as_of is not None:
            raise typer.BadParameter("'--as-of' needs a second job. Use --from and --to to compare a job with itself.")
        if from_time is None:
            raise typer.BadParameter("Expected a second job, or --from TIME to compare the job with itself.")
    elif as_of is not None and (from_time is not None or to_time is not None):
        raise typer.BadParameter("'--as-of' cannot be used together with '--from' or '--to'.")
    first, second = (from_time, to_time) if as_of is None else (as_of, as_of)
    return Side(job, Cut(first)), Side(other_job or job, Cut(second))


def _config(connection: Connection, job: Job, cut: Cut, key: str | None) -> list[Row]:
    note(too_early(connection, job, cut))
    return list(matching(state(connection, "config", job, cut), key))
