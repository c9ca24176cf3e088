"""What commands print on standard error, and the question they ask before they write."""

import sys
from collections.abc import Iterable

import typer

from coordstream.errors import CoordstreamError
from eventlog.error_text import printable_text


def note(text: str) -> None:
    """Print a sentence, unless it is empty; the command goes on. Names in it may have control characters."""
    if text:
        print(printable_text(text), file=sys.stderr)


def warn(sentences: Iterable[str]) -> None:
    """Print each sentence as a warning, after what standard output has so far."""
    sys.stdout.flush()  # or else the warnings would come first where both go to one file
    for sentence in sentences:
        note(f"warning: {sentence}")


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
