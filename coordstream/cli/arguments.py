"""Arguments and options that several commands share, the parsers of their values, and shell completion."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Final, get_args

import typer

from coordstream.queries.cut import Cut
from coordstream.times import InvalidTime, parse_length
from coordstream.times import parse_time as time_from_text
from eventlog.kafka.options import KafkaOptions, OptionRefused
from eventlog.log import Clock, system_clock
from eventlog.streams import StreamKind

LONGEST: Final = timedelta(days=365)
LEAST_SILENCE_SECONDS: Final = 10
MOST: Final = 2**63 - 1
"""The largest bigint."""

_NUMBER: Final = re.compile(r"[+-]?[0-9]+")
_JOBS: Final = "select distinct job_name || '/' || job_id from projection.job_log"
_STREAMS: Final = "select stream_name from eventlog.log"
_ANSWER_SECONDS: Final = 2


def parse_duration(text: str) -> float:
    """Return the seconds in a duration: a number of seconds, or units as in ``90s``, ``5m``, ``1h 30m`` or ``PT5M``.

    Raises:
        typer.BadParameter: The text is not a duration, or not between 0 (exclusive) and 365 days.
    """
    seconds = _parse_seconds(text)
    if not 0 < seconds <= LONGEST.total_seconds():
        raise _invalid(text, "more than 0")
    return seconds


def parse_duration_or_zero(text: str | float) -> float:
    """As `parse_duration`, but 0 is valid, too."""
    seconds = _parse_seconds(str(text))
    if not 0 <= seconds <= LONGEST.total_seconds():
        raise _invalid(str(text), "0 or more")
    return seconds


def parse_silence(text: str) -> float:
    """Seconds without a heartbeat; a follower that has been silent for less than two may be working."""
    seconds = parse_duration(text)
    if seconds < LEAST_SILENCE_SECONDS:
        raise typer.BadParameter(f"{text!r} is too short. Expected {LEAST_SILENCE_SECONDS}s or more (two heartbeats).")
    return seconds


def _parse_seconds(text: str) -> float:
    """Seconds; negative if the text is not a duration."""
    try:
        length = parse_length(text)
        return float(text) if length is None else length.total_seconds()
    except (ValueError, OverflowError):
        return -1.0


def _invalid(text: str, least: str) -> typer.BadParameter:
    return typer.BadParameter(
        f'Invalid duration {text!r}. Use seconds, or units as in "90s", "5m" or "1h 30m"; {least}, '
        f"at most {LONGEST.days} days."
    )


def parse_time(text: str, clock: Clock = system_clock) -> datetime:
    """Parse a time, see `times.parse_time`, as Typer expects it."""
    try:
        return time_from_text(text, clock)
    except InvalidTime as error:
        raise typer.BadParameter(str(error)) from None


def parse_integer(text: str) -> int:
    """A whole number in the digits 0 to 9. Raises ValueError, also for what only Python reads: ``1_000`` or ``٣``."""
    if not _NUMBER.fullmatch(text.strip()):
        raise ValueError("Expected a whole number in the digits 0 to 9.")
    return int(text)


def parse_offset(text: str | int) -> int:
    """An offset, from 0. Raises typer.BadParameter."""
    return _parse(text, 0, "an offset, 0 or more")


def parse_shift(text: str | int) -> int:
    """A number of offsets, negative for earlier ones. Raises typer.BadParameter."""
    return _parse(text, -MOST, "a whole number of offsets, such as 100 or -100")


def parse_count(text: str | int) -> int:
    """A number from 1, such as that of rows. Raises typer.BadParameter."""
    return _parse(text, 1, "a number, 1 or more")


def parse_replicas(text: str | int) -> int:
    """A replication factor, which Kafka stores in 16 bits. Raises typer.BadParameter."""
    return _parse(text, 1, "a number from 1 to 32767", most=2**15 - 1)


def parse_limit(text: str | int) -> int:
    """A number of rows, from 0. Raises typer.BadParameter."""
    return _parse(text, 0, "a number, 0 or more")


def _parse(text: str | int, least: int, expected: str, *, most: int = MOST) -> int:
    try:
        number = parse_integer(str(text))
    except ValueError:
        number = least - 1
    if not least <= number <= most:
        raise typer.BadParameter(f"{str(text)!r}. Expected {expected}.")
    return number


def parse_port(text: str | int) -> int:
    """A port to listen on, from 0. Raises typer.BadParameter."""
    return _parse(text, 0, "a port from 0 to 65535", most=65_535)


def parse_servers(text: str) -> str:
    """Addresses of brokers. Raises typer.BadParameter."""
    try:
        KafkaOptions.parse(text)
    except OptionRefused as error:
        raise typer.BadParameter(str(error)) from None
    return text


def _only_one_format(context: typer.Context, value: bool) -> bool:
    if value and (context.params.get("as_json") or context.params.get("as_csv")):
        raise typer.BadParameter("'--json' and '--csv' cannot be used together.")
    return value


def _in_order(context: typer.Context, parameter: typer.CallbackParam, time: datetime | None) -> datetime | None:
    times = {**context.params, parameter.name: time}
    since, until = times.get("since"), times.get("until")
    if since is not None and until is not None and since > until:
        raise typer.BadParameter(
            f"Invalid time range: '--since' ({since:%Y-%m-%d %H:%M:%S} UTC) is after '--until' "
            f"({until:%Y-%m-%d %H:%M:%S} UTC). Exchange the two times."
        )
    return time


def _stream_kind(text: str) -> str:
    if text not in get_args(StreamKind):
        raise typer.BadParameter(f"{text!r}. Expected coordinator or checkpoint.")
    return text


def complete_job(incomplete: str) -> list[str]:
    """Jobs, as ``name/id``, from the database if it answers quickly."""
    return _offer(_JOBS, incomplete)


def complete_stream(incomplete: str) -> list[str]:
    """Streams that the database knows."""
    return _offer(_STREAMS, incomplete)


def _offer(query: str, incomplete: str) -> list[str]:
    try:
        return sorted(answer for answer in _ask(query) if answer.startswith(incomplete))
    except Exception:  # the user is typing: an error message would get in the way
        return []


def _ask(query: str) -> Sequence[str]:
    import psycopg  # noqa: PLC0415 (only needed while a shell completes)

    from coordstream.postgres import EmbeddedPostgres  # noqa: PLC0415
    from coordstream.settings import load_settings  # noqa: PLC0415

    settings = load_settings()
    if settings.database_url is not None:
        url = settings.database_url.get_secret_value()
    else:
        url = EmbeddedPostgres(settings.home).connect_url()
    limit = f"-c statement_timeout={_ANSWER_SECONDS}s"
    with psycopg.connect(url, connect_timeout=_ANSWER_SECONDS, options=limit, client_encoding="UTF8") as connection:
        return [answer for (answer,) in connection.execute(query.encode())]


Json = Annotated[bool, typer.Option("--json", help="Print a JSON list with all columns.", callback=_only_one_format)]
JsonObject = Annotated[bool, typer.Option("--json", help="Print a JSON object.")]
Csv = Annotated[bool, typer.Option("--csv", help="Print CSV with a header and all columns.", callback=_only_one_format)]
Utc = Annotated[
    bool,
    typer.Option("--utc", help="Show times in UTC instead of relative to now."),
]
Since = Annotated[
    datetime | None,
    typer.Option(
        "--since",
        metavar="TIME",
        parser=parse_time,
        callback=_in_order,
        help="Show records since this time, given as for --until.",
    ),
]
Until = Annotated[
    datetime | None,
    typer.Option(
        "--until",
        metavar="TIME",
        parser=parse_time,
        callback=_in_order,
        help="Show records until this time: ISO 8601 (default zone: UTC), '90m', '2 hours ago', yesterday or now.",
    ),
]
JobWord = Annotated[
    str,
    typer.Argument(metavar="JOB", help="The job's name, or name/id.", autocompletion=complete_job),
]
MaybeJob = Annotated[
    str | None,
    typer.Argument(metavar="JOB", help="The job's name, or name/id (default: all).", autocompletion=complete_job),
]
AsOf = Annotated[
    datetime | None,
    typer.Option(
        "--as-of",
        metavar="TIME",
        parser=parse_time,
        help="Show the state at this time: ISO 8601 (default zone: UTC), '90m', '2 hours ago', yesterday or now.",
    ),
]
AsOfOffset = Annotated[
    int | None,
    typer.Option(
        "--as-of-offset", metavar="OFFSET", parser=parse_offset, help="Show the state after this offset of its log."
    ),
]
Task = Annotated[str | None, typer.Option("--task", metavar="TASK", help="Show this task only.")]
Tasks = Annotated[
    list[str] | None,
    typer.Option(
        "--task",
        metavar="TASK",
        help="Only for this task; repeatable (default: every task).",
    ),
]
Stream = Annotated[str, typer.Argument(metavar="STREAM", help="The stream's name.", autocompletion=complete_stream)]
Incarnation = Annotated[int | None, typer.Option(metavar="N", parser=parse_count, help="Instead of the current one.")]
Newest = Annotated[int | None, typer.Option("--limit", metavar="N", parser=parse_count, help="Show the newest N only.")]
Kind = Annotated[
    str | None,
    typer.Option(
        "--kind",
        metavar="KIND",
        parser=_stream_kind,
        help="coordinator or checkpoint, if the stream's name does not tell.",
    ),
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
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the changes and write nothing.")]


def cut_of(time: datetime | None, offset: int | None) -> Cut:
    """The cut of ``--as-of`` and ``--as-of-offset``, which cannot be used together."""
    if time is not None and offset is not None:
        raise typer.BadParameter("'--as-of' and '--as-of-offset' cannot be used together.")
    return Cut(time, offset)


class Against(StrEnum):
    """What the relations are compared with."""

    ARCHIVE = "archive"
    KAFKA = "kafka"


AgainstOption = Annotated[
    Against, typer.Option("--against", help="kafka: compare the archive with the topics too.", show_choices=True)
]
