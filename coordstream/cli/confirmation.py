"""Asking before something is written."""

import sys

import typer

from coordstream.errors import CoordstreamError


def ask(question: str, *, yes: bool, done: str = "written") -> None:
    """Go on if the answer is yes, or was given with the command.

    Raises:
        CoordstreamError: it is not, or nobody can be asked; ``done`` says what was not done then.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise CoordstreamError(f"nothing was {done}: nobody can be asked here, so give --yes, or --dry-run to look.")
    try:
        is_wanted = typer.confirm(question, err=True)
    except typer.Abort:
        is_wanted = False
    if not is_wanted:
        raise CoordstreamError(f"nothing was {done}: the answer was not yes.")
