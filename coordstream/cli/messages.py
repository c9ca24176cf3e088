"""The question that commands ask before they write."""

import sys

import typer

from coordstream.errors import CoordstreamError


def confirm(question: str, *, yes: bool, done: str = "written", has_dry_run: bool = True) -> None:
    """Ask for confirmation, unless it was given with ``--yes``; ``done`` is what the command would have done.

    Raises:
        CoordstreamError: The answer is no, or standard input is not a terminal.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        look = ", or --dry-run to look first" if has_dry_run else ""
        raise CoordstreamError(f"Nothing was {done}: confirmation needs a terminal. Use --yes to go on{look}.")
    try:
        is_confirmed = typer.confirm(question, err=True)
    except typer.Abort:
        is_confirmed = False
    if not is_confirmed:
        raise CoordstreamError(f"Nothing was {done}: not confirmed.")
