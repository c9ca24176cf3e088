"""Up to where a question goes: to now, to a time, or to an offset of a log."""

from dataclasses import dataclass
from datetime import datetime
from typing import Self

import typer


@dataclass(frozen=True)
class Cut:
    """At most one of both is given; none means now. ``offset`` is inclusive."""

    time: datetime | None = None
    offset: int | None = None

    @classmethod
    def of(cls, time: datetime | None, offset: int | None) -> Self:
        """The cut that a user asked for.

        Raises:
            typer.BadParameter: a time and an offset were given.
        """
        if time is not None and offset is not None:
            raise typer.BadParameter("--as-of and --as-of-offset exclude each other, give one of them")
        return cls(time, offset)

    def __str__(self) -> str:
        if self.time is not None:
            return f" as of {self.time:%Y-%m-%d %H:%M:%S} UTC"
        return "" if self.offset is None else f" as of offset {self.offset}"
