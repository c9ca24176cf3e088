"""The options of `coordstream rewind plan`: the target, the selection, and the file."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from coordstream.cli.arguments import parse_count, parse_duration, parse_limit, parse_offset, parse_shift, parse_time

ToDatetime = Annotated[
    datetime | None,
    typer.Option("--to-datetime", metavar="TIME", parser=parse_time, help="The first records since this time."),
]
ByDuration = Annotated[
    float | None,
    typer.Option(
        "--by-duration",
        metavar="DURATION",
        parser=parse_duration,
        help="The first records since this long ago: 90m, 2h, PT2H.",
    ),
]
ShiftBy = Annotated[
    int | None,
    typer.Option(
        "--shift-by",
        metavar="N",
        parser=parse_shift,
        help="N offsets after the next start; before it if N is negative.",
    ),
]
ToOffset = Annotated[
    int | None,
    typer.Option("--to-offset", metavar="OFFSET", parser=parse_offset, help="This offset, as the next one to read."),
]
ToEarliest = Annotated[bool, typer.Option("--to-earliest", help="The oldest records.")]
ToLatest = Annotated[bool, typer.Option("--to-latest", help="The ends: skip everything.")]
ToRun = Annotated[
    int | None,
    typer.Option(
        "--to-run", metavar="N", parser=parse_count, help="Where each task stood when this run of the job began."
    ),
]
ToDeployment = Annotated[
    int | None,
    typer.Option(
        "--to-deployment",
        metavar="N",
        parser=parse_count,
        help="Where each task stood when this deployment began (`config history --deployments`).",
    ),
]
FromFile = Annotated[
    str | None,
    typer.Option(
        "--from-file",
        metavar="FILE",
        help="The offsets in a CSV file from `checkpoint show --csv` or `rewind plan --csv`; - is standard input.",
    ),
]
InputNames = Annotated[
    list[str] | None,
    typer.Option(
        "--input",
        metavar="INPUT",
        help="Only this input, or some of its partitions: kafka.page-views.0-3,5; repeatable.",
    ),
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="The plan file to write (default: rewind-JOB-TIME.json)."),
]
CountUpTo = Annotated[
    int,
    typer.Option(
        "--count-up-to",
        metavar="N",
        parser=parse_limit,
        help="Read the affected records and count them, unless the plan affects more offsets.",
    ),
]
