"""When a follower ends the session of another one that hangs, as people type it."""

from typing import Annotated, Final

import typer

from coordstream.cli.arguments.duration import parse_duration

LEAST_SECONDS: Final = 10
"""Two heartbeats: whoever is silent for less may be at work."""


def parse_silence(text: str) -> float:
    """Seconds of silence, as `parse_duration` reads a length of time.

    Raises:
        typer.BadParameter: it is no length of time, or shorter than two heartbeats.
    """
    seconds = parse_duration(text)
    if seconds < LEAST_SECONDS:
        raise typer.BadParameter(f"{text!r} is too short: heartbeats come every 5 s, so give {LEAST_SECONDS}s or more")
    return seconds


TakeOverAfter = Annotated[
    float | None,
    typer.Option(
        "--take-over-after",
        metavar="DURATION",
        parser=parse_silence,
        help="End the session of a stream's follower that has been silent for so long (60s), and go on in its place.",
    ),
]
