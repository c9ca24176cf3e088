"""A port as people type it."""

import typer

from coordstream.http.address import LARGEST_PORT


def parse_port(text: str | int) -> int:
    """A port to listen on, from 0. Raises typer.BadParameter."""
    digits = str(text)
    if digits.isascii() and digits.isdigit() and len(digits) < 6 and int(digits) <= LARGEST_PORT:
        return int(digits)
    raise typer.BadParameter(f"{digits!r}. Expected a port from 0 to {LARGEST_PORT}.")
