"""Options and arguments that several commands share."""

from datetime import UTC, datetime
from typing import Annotated, Final

import typer

MOST: Final = 2**63 - 1


def parse_time(text: str) -> datetime:
    """An ISO 8601 time; one that names no zone is UTC.

    Raises:
        typer.BadParameter: it is no time.
    """
    try:
        time = datetime.fromisoformat(text)
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise typer.BadParameter(f"{text!r} is no time, write it as 2026-01-31T12:00:00Z") from None


Json = Annotated[bool, typer.Option("--json", help="Print a JSON list of objects, with all columns.")]
JobWord = Annotated[str, typer.Argument(metavar="JOB", help="Its name, or name/id where several share the name.")]
MaybeJob = Annotated[str | None, typer.Argument(metavar="[JOB]", help="Name or name/id; none: all jobs.")]
AsOf = Annotated[
    datetime | None, typer.Option("--as-of", metavar="TIME", parser=parse_time, help="As it was at this time (UTC).")
]
AsOfOffset = Annotated[
    int | None, typer.Option("--as-of-offset", min=0, max=MOST, help="As it was after this offset of its log.")
]
Task = Annotated[str | None, typer.Option("--task", metavar="TASK", help="This task only.")]
Newest = Annotated[int | None, typer.Option("--limit", min=1, max=MOST, help="The newest so many only.")]
Kind = Annotated[
    str | None, typer.Option("--kind", help="coordinator or checkpoint, where a stream's name does not say it.")
]
