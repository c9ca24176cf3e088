"""Options and arguments that several commands share."""

from datetime import datetime
from typing import Annotated, get_args

import typer

from coordstream.cli.arguments.number import parse_count, parse_offset
from coordstream.cli.arguments.time import parse_time
from coordstream.cli.completion import complete_job, complete_stream
from coordstream.queries.cut import Cut
from eventlog.streams import StreamKind


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
        help="Show records since this time (see --until).",
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
        help="Brokers of the input (default: those in the job's config).",
    ),
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the changes and write nothing.")]


def cut_of(time: datetime | None, offset: int | None) -> Cut:
    """The cut of ``--as-of`` and ``--as-of-offset``, which cannot be used together."""
    if time is not None and offset is not None:
        raise typer.BadParameter("'--as-of' and '--as-of-offset' cannot be used together.")
    return Cut(time, offset)
