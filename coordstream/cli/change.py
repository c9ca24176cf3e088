"""A change of a job, which is shown, confirmed, written, and reported, whichever command makes it."""

import os
import shlex
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel

from coordstream.cli.output import Column, confirm, print_json, print_rows
from coordstream.errors import CoordstreamError, note, warn
from coordstream.queries.rows import Row
from eventlog.errors import system_reason
from eventlog.log import EventLog


@dataclass(frozen=True, kw_only=True)
class Change:
    """What is about to be written on a log, which nobody else writes meanwhile; None: ``write`` opens or creates it.

    ``rows`` say what was and what becomes, and ``columns`` what people see of it. ``question`` is asked before
    ``write``; empty: there is nothing to write. ``undo`` is a file that is on disk before, as `rewind undo` reads it.
    ``done`` says what was written. ``verb``: ``written`` or ``deleted``.
    """

    log: EventLog | None
    question: str
    done: str
    write: Callable[[], object]
    rows: Sequence[Row] = ()
    columns: Sequence[Column] = ()
    title: str = ""
    show_more: Callable[[], None] = field(default=lambda: None)
    warnings: Iterable[str] = ()
    undo: tuple[Path, BaseModel] | None = None
    verb: str = "written"


def make_change(change: Change, *, yes: bool, dry_run: bool = False, as_json: bool) -> None:
    """Show a change and, unless it is a dry run, ask for confirmation and write it.

    With ``as_json``, the rows get a column such as ``is_written``. Raises CoordstreamError: the answer is no. Raises
    what the log raises, and what ``write`` raises if another writer has changed the same meanwhile.
    """
    if not as_json and change.rows and change.columns:
        print_rows(change.rows, change.columns, title=change.title)
        change.show_more()
    warn(change.warnings)
    is_written = bool(change.question) and not dry_run
    if is_written:
        if change.log is not None:
            change.log.append([])  # a log that is read-only refuses it before the question
        confirm(change.question, yes=yes, done=change.verb, has_dry_run=bool(change.columns))
        with nullcontext() if change.log is None else change.log.exclude_writers():
            if change.undo is not None:
                write_new_file(*change.undo)
                note(f"Wrote {change.undo[0]}. To undo: coordstream rewind undo {shlex.quote(str(change.undo[0]))}")
            change.write()
    if as_json:
        print_json([{**row, f"is_{change.verb}": is_written} for row in change.rows])
    elif change.question and dry_run:
        print(f"Nothing was {change.verb} (dry run).")
    else:
        later = " The database shows it after `coordstream follow` has read the stream." if is_written else ""
        print(f"{change.done}{later}")


def write_new_file(path: Path, contents: BaseModel) -> None:
    """Write a file that is on disk when this returns. Raises CoordstreamError if it exists or cannot be written."""
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(contents.model_dump_json(indent=1) + "\n")
            file.flush()
            os.fsync(file.fileno())
    except FileExistsError:
        raise CoordstreamError(f"File '{path}' exists. Remove it, or name another one.") from None
    except OSError as error:
        raise CoordstreamError(f"Cannot access '{path}': {system_reason(error)}.") from None
