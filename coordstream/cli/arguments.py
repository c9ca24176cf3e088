"""Arguments and options that several commands share, and the parsers of their values."""

import re
import sys
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from coordstream.times import InvalidTime, parse_length
from coordstream.times import parse_time as time_from_text
from eventlog.kafka.options import KafkaOptions, OptionRefused
from eventlog.log import Clock, system_clock
from eventlog.streams import StreamKind

if TYPE_CHECKING:
    from coordstream.queries.jobs import JobLimits

LONGEST: Final = timedelta(days=365)
STANDARD_INPUT: Final = "-"
MOST: Final = 2**63 - 1
"""The largest bigint."""

_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,30}")


def _duration(least: str, *, allows_zero: bool = False) -> Callable[[str | float], float]:
    """A parser of durations, in seconds: a number of seconds, or units as in ``90s``, ``5m`` or ``1h 30m``.

    It raises typer.BadParameter for other texts, and for more than 365 days.
    """

    def parse(text: str | float) -> float:
        try:
            length = parse_length(str(text))
            seconds = float(text) if length is None else length.total_seconds()
        except (ValueError, OverflowError):
            seconds = -1.0
        if not 0 <= seconds <= LONGEST.total_seconds() or (seconds == 0 and not allows_zero):
            raise typer.BadParameter(
                f'Invalid duration {str(text)!r}. Use seconds, or units as in "90s", "5m" or "1h 30m"; {least}, '
                f"at most {LONGEST.days} days."
            )
        return seconds

    return parse


parse_duration: Final = _duration("more than 0")
parse_duration_or_zero: Final = _duration("0 or more", allows_zero=True)


def parse_time(text: str, clock: Clock = system_clock) -> datetime:
    """Parse a time, see `times.parse_time`, as Typer expects it."""
    try:
        return time_from_text(text, clock)
    except InvalidTime as error:
        raise typer.BadParameter(str(error)) from None


def _in_order(context: typer.Context, option: typer.CallbackParam, time: datetime | None) -> datetime | None:
    """A time of --since or --until, of which the command line may give either first. Raises typer.BadParameter."""
    given = {**context.params, option.name: time}
    if given.get("since") and given.get("until") and given["since"] > given["until"]:
        raise typer.BadParameter("'--since' is after '--until'.")
    return time


def _whole_number(expected: str, least: int, most: int = MOST) -> Callable[[str | int], int]:
    """A parser of whole numbers, which raises typer.BadParameter. Not for what only Python reads: ``1_000``, ``٣``."""

    def parse(text: str | int) -> int:
        given = str(text)
        number = int(given) if _NUMBER.fullmatch(given.strip()) else least - 1
        if not least <= number <= most:
            raise typer.BadParameter(f"{given!r}. Expected {expected}.")
        return number

    return parse


parse_offset: Final = _whole_number(f"an offset from 0 to {MOST}", 0)
parse_shift: Final = _whole_number("a whole number of offsets, such as 100 or -100", -MOST)
parse_count: Final = _whole_number(f"a number from 1 to {MOST}", 1)
parse_limit: Final = _whole_number(f"a number from 0 to {MOST}", 0)
parse_port: Final = _whole_number("a port from 0 to 65535", 0, 65_535)
parse_replicas: Final = _whole_number("a number from 1 to 32767", 1, 2**15 - 1)
"""A replication factor, which Kafka stores in 16 bits."""


def parse_servers(text: str) -> str:
    """Addresses of brokers. Raises typer.BadParameter."""
    try:
        KafkaOptions.parse(text)
    except OptionRefused as error:
        raise typer.BadParameter(str(error)) from None
    return text


def _lag_limit(text: str) -> int | float:
    """A limit of lag: a number of records, or seconds (a float). Raises typer.BadParameter."""
    return (parse_limit if _NUMBER.fullmatch(text.strip()) else parse_duration_or_zero)(text)


# options by what their values are; used as `typer.Option`
time_option: Final = partial(typer.Option, metavar="TIME", parser=parse_time)
duration_option: Final = partial(typer.Option, metavar="DURATION", parser=parse_duration)
count_option: Final = partial(typer.Option, metavar="N", parser=parse_count)
offset_option: Final = partial(typer.Option, metavar="OFFSET", parser=parse_offset)
TIMES: Final = "ISO 8601 (default zone: UTC), '90m', '2 hours ago', yesterday or now."

Json = Annotated[bool, typer.Option("--json", help="Print a JSON list with all columns.")]
JsonObject = Annotated[bool, typer.Option("--json", help="Print a JSON object.")]

Utc = Annotated[bool, typer.Option("--utc", help="Show times in UTC instead of relative to now.")]
UtcAsOf = Annotated[bool, typer.Option("--utc", help="Show times in UTC instead of relative to --as-of, or now.")]
Since = Annotated[
    datetime | None, time_option("--since", help="Show events since this time (see --until).", callback=_in_order)
]
Until = Annotated[
    datetime | None, time_option("--until", help=f"Show events until this time: {TIMES}", callback=_in_order)
]
JobWord = Annotated[str, typer.Argument(metavar="JOB", help="The job's name, or name/id.")]
MaybeJob = Annotated[str | None, typer.Argument(metavar="JOB", help="The job's name, or name/id (default: all).")]
AsOf = Annotated[datetime | None, time_option("--as-of", help=f"Show the state at this time: {TIMES}")]
Task = Annotated[str | None, typer.Option("--task", metavar="TASK", help="Show this task only.")]
Tasks = Annotated[
    list[str] | None,
    typer.Option("--task", metavar="TASK", help="Only for this task; repeatable (default: every task)."),
]
Stream = Annotated[str, typer.Argument(metavar="STREAM", help="The stream's name.")]
Newest = Annotated[int | None, count_option("--limit", help="Show the newest N only.")]
Watch = Annotated[float | None, duration_option("--watch", help="Repeat this often, until Ctrl-C.")]
Kind = Annotated[
    StreamKind | None,
    typer.Option(metavar="KIND", help="coordinator or checkpoint, if the name does not show it."),
]
InputServers = Annotated[
    str | None,
    typer.Option(
        "--input-bootstrap-servers",
        metavar="HOST:PORT",
        parser=parse_servers,
        help="Brokers of the input (default: those in the job's config).",
    ),
]
MaxCommitAge = Annotated[
    float | None,
    duration_option(
        "--max-commit-age",
        help="How old the last commit of a task may be (default: three times the job's task.commit.ms, at least 1m).",
    ),
]
MaxLag = Annotated[
    float | None,
    typer.Option(
        "--max-lag",
        metavar="RECORDS|DURATION",
        parser=_lag_limit,
        help="How far a job may be behind its inputs: records, or a time such as 5m (default: 5m). If given, an "
        "unknown lag is a problem too.",
    ),
]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the changes and write nothing.")]


def read_given(path: str | Path) -> tuple[str, bytes]:
    """The name and the bytes of a file that a user named, or of standard input (``-``). Raises OSError."""
    if str(path) == STANDARD_INPUT:
        return "standard input", sys.stdin.buffer.read()
    return str(path), Path(path).read_bytes()


def parse_settings(words: Sequence[str] | None, option: str) -> dict[str, str]:
    """The settings in the values of a repeatable option. Raises typer.BadParameter for one that is not NAME=VALUE."""
    pairs = [word.partition("=") for word in words or ()]
    for name, equals, _ in pairs:
        if not name or not equals:
            raise typer.BadParameter(f"Invalid '{option}' value '{name}'. Expected NAME=VALUE.")
    return {name: value for name, _, value in pairs}


def job_limits(max_commit_age: float | None, max_lag: float | None) -> "JobLimits":
    """The limits of ``--max-commit-age`` and ``--max-lag``: a number of records, or a time with a unit."""
    from coordstream.queries.jobs import JobLimits  # noqa: PLC0415 (few commands need it)

    if max_lag is None:
        return JobLimits(max_commit_age)
    if isinstance(max_lag, int):
        return JobLimits(max_commit_age, lag_records=max_lag)
    return JobLimits(max_commit_age, lag_seconds=max_lag)


Against = Annotated[
    str, typer.Option("--against", metavar="archive|PATH", help="A path: compare the archive with this lake instead.")
]
