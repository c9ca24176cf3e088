"""The parser of every option and argument that takes a time."""

from datetime import datetime

import typer

from coordstream import times
from eventlog.log import Clock, system_clock


def parse_time(text: str, clock: Clock = system_clock) -> datetime:
    """Parse a time, see `times.parse_time`, as Typer expects it."""
    try:
        return times.parse_time(text, clock)
    except times.InvalidTime as error:
        raise typer.BadParameter(str(error)) from None
