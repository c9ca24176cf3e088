"""When a follower ends the session of another one that hangs, as people type it."""

from typing import Annotated, Final

import typer

from coordstream.cli.ago import parse_ago

LEAST_SECONDS: Final = 10
"""Two heartbeats: whoever is silent for less may be at work."""


def parse_silence(text: str) -> float:
    """Seconds from a length of time such as ``60s`` or ``2 minutes``, or a number of seconds.

    Raises:
        typer.BadParameter: it is no length of time, or too short.
    """
    try:
        length = parse_ago(f"{text}s" if text.isdecimal() else text)
    except OverflowError:
        length = None
    if length is None:
        raise typer.BadParameter(f"{text!r} is no length of time: write it as 60s or '2 minutes'")
    if length.total_seconds() < LEAST_SECONDS:
        raise typer.BadParameter(f"{text!r} is too short: heartbeats come every 5 s, so give {LEAST_SECONDS}s or more")
    return length.total_seconds()


TakeOverAfter = Annotated[
    float | None,
    typer.Option(
        "--take-over-after",
        metavar="DURATION",
        parser=parse_silence,
        help="End the session of a stream's follower that has been silent for so long (60s), and go on in its place.",
    ),
]
