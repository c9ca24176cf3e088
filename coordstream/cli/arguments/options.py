"""Options and arguments that several commands share."""

from datetime import datetime
from typing import Annotated, Final

import typer

from coordstream.cli.arguments.time import parse_time
from coordstream.cli.completion import complete_job, complete_stream, complete_task

MOST: Final = 2**63 - 1


def _only_one_format(context: typer.Context, value: bool) -> bool:
    if value and (context.params.get("as_json") or context.params.get("as_csv")):
        raise typer.BadParameter("--json and --csv exclude each other, give one of them")
    return value


Json = Annotated[
    bool, typer.Option("--json", help="Print a JSON list of objects, with all columns.", callback=_only_one_format)
]
Csv = Annotated[
    bool, typer.Option("--csv", help="Print CSV (RFC 4180) with a header and all columns.", callback=_only_one_format)
]
Utc = Annotated[
    bool,
    typer.Option(
        "--utc", help="Times to the second, in UTC, instead of in words; those of histories are never in words."
    ),
]
Since = Annotated[
    datetime | None,
    typer.Option(
        "--since",
        metavar="TIME",
        parser=parse_time,
        help="Records from this time on; see --until.",
    ),
]
Until = Annotated[
    datetime | None,
    typer.Option(
        "--until",
        metavar="TIME",
        parser=parse_time,
        help="Records up to this time: ISO 8601 (UTC unless it names a zone), '90m', '2 hours ago', yesterday, now.",
    ),
]
JobWord = Annotated[
    str,
    typer.Argument(
        metavar="JOB", help="Its name, or name/id where several share the name.", autocompletion=complete_job
    ),
]
MaybeJob = Annotated[
    str | None, typer.Argument(metavar="[JOB]", help="Name or name/id; none: all jobs.", autocompletion=complete_job)
]
AsOf = Annotated[
    datetime | None,
    typer.Option(
        "--as-of",
        metavar="TIME",
        parser=parse_time,
        help="As it was at this time: ISO 8601 (UTC unless it names a zone), '90m', '2 hours ago', yesterday, now.",
    ),
]
AsOfOffset = Annotated[
    int | None, typer.Option("--as-of-offset", min=0, max=MOST, help="As it was after this offset of its log.")
]
Task = Annotated[
    str | None, typer.Option("--task", metavar="TASK", help="This task only.", autocompletion=complete_task)
]
Tasks = Annotated[
    list[str] | None,
    typer.Option(
        "--task",
        metavar="TASK",
        help="For this task only, not for every one; may be given often.",
        autocompletion=complete_task,
    ),
]
Stream = Annotated[str, typer.Argument(metavar="STREAM", help="The stream's name.", autocompletion=complete_stream)]
Newest = Annotated[int | None, typer.Option("--limit", min=1, max=MOST, help="The newest so many only.")]
Kind = Annotated[
    str | None, typer.Option("--kind", help="coordinator or checkpoint, where a stream's name does not say it.")
]
