"""The config keys that a pattern of ``--key`` matches."""

from typing import Annotated

import typer

KeyPattern = Annotated[
    str | None, typer.Option("--key", metavar="PATTERN", help="Show matching keys only, such as 'systems.*'.")
]
