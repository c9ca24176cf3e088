"""The options of `coordstream follow`; those of metrics are in `coordstream.cli.serve`."""

from typing import Annotated, Final

import typer

from coordstream.cli.arguments import complete_stream, parse_duration, parse_offset
from coordstream.cli.follow.progress import LogFormat

LEAST_SILENCE_SECONDS: Final = 10
"""Two heartbeats: a follower that has been silent for less may be working."""


def parse_silence(text: str) -> float:
    """Seconds of silence. Raises typer.BadParameter: not a duration, or shorter than two heartbeats."""
    seconds = parse_duration(text)
    if seconds < LEAST_SILENCE_SECONDS:
        raise typer.BadParameter(f"{text!r} is too short. Expected {LEAST_SILENCE_SECONDS}s or more (two heartbeats).")
    return seconds


Streams = Annotated[
    list[str] | None,
    typer.Argument(metavar="STREAM", help="Names of streams.", autocompletion=complete_stream),
]
All = Annotated[bool, typer.Option("--all", help="Follow all of Samza's streams, including future ones.")]
Once = Annotated[bool, typer.Option("--once", help="Read to the current ends, then exit.")]
UntilOffset = Annotated[
    int | None, typer.Option("--until", parser=parse_offset, metavar="OFFSET", help="Exit after this offset.")
]
Timeout = Annotated[
    float | None,
    typer.Option(
        "--timeout",
        metavar="DURATION",
        parser=parse_duration,
        help="With --once or --until: give up after this time, for example 90s or 5m.",
    ),
]
TakeOverAfter = Annotated[
    float | None,
    typer.Option(
        "--take-over-after",
        metavar="DURATION",
        parser=parse_silence,
        help="Take a stream over from a follower that has sent no heartbeat for this time, for example 60s. Its "
        "database session is ended.",
    ),
]
InputBounds = Annotated[
    float | None,
    typer.Option(
        "--input-bounds",
        metavar="DURATION",
        parser=parse_duration,
        help="Observe this often how far the jobs' inputs reach, for example 30s (see `coordstream lag`).",
    ),
]
Format = Annotated[LogFormat, typer.Option("--log-format", help="Format of the lines on standard error.")]
JsonReport = Annotated[
    bool, typer.Option("--json", help="At the end, print a JSON list with an object for each stream.")
]
