"""How a command that fails tells why: one message on standard error, and an exit code."""

import codecs
import errno
import os
import re
import sys
from pathlib import Path
from typing import Final

import typer

from coordstream.errors import CoordstreamError
from coordstream.extras import missing_package_message
from eventlog.errors import EventLogError, printable_text, system_reason
from projections.errors import ProjectionError

TRACEBACK: Final = "--traceback"
FAILED: Final = 1
PIPE_CLOSED: Final = 1
"""Typer's exit code where it sees a closed pipe first."""

_OWN_ERRORS: Final = (CoordstreamError, EventLogError, ProjectionError)
# of a check that is not of one option, or where our message already begins with "Invalid time '…'"
_TYPER_PREFIX: Final = re.compile(r"^Invalid value(: | for '[^']+': (?=Invalid ))")
_PYDANTIC_PREFIX: Final = ": Value error, "
_DEVICE_ERRORS: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def report(error: Exception, *, shows_traceback: bool) -> int:
    """Print what went wrong, or where from if the user wants the traceback; the exit code is 1."""
    if shows_traceback:
        from coordstream.private_traceback import private_traceback  # noqa: PLC0415 (loads SQLAlchemy)

        print(private_traceback(error), file=sys.stderr, end="")
    else:
        print(printable_text(_message(error)), file=sys.stderr)
    if _is_output_error(error):
        _discard_output()
    return FAILED


def follows_interrupt(error: Exception) -> bool:
    """Whether an unexpected error was raised because of KeyboardInterrupt, or while it was handled.

    Python 3.11 turns one in ``__set_name__`` into a RuntimeError; the release of a lock can fail after one, too.
    """
    reason = error.__cause__ or error.__context__
    if reason is None or isinstance(error, _OWN_ERRORS):
        return False
    return isinstance(reason, KeyboardInterrupt) or (isinstance(reason, Exception) and follows_interrupt(reason))


def report_usage(error: typer.TyperException) -> int:
    """Print what is wrong with the command line, and where its help is; empty where Typer has printed the help."""
    message = _TYPER_PREFIX.sub("", " ".join(error.format_message().split())).replace(_PYDANTIC_PREFIX, ": ")
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "coordstream"
    if message:
        end = "" if message.endswith((".", "?")) else "."
        print(f"{message}{end} See `{path} --help`.", file=sys.stderr)
    return error.exit_code


def close_broken_output() -> int:
    """The exit code where the reader of our output has closed the pipe, as ``head`` does."""
    _discard_output()
    return PIPE_CLOSED


def replace_closed_streams() -> None:
    """Open the null device for standard streams that are closed (``>&-``).

    Otherwise the next file or socket would get the number of standard output, and a child process would write into it.
    """
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("r+"))  # noqa: SIM115 (it stays open as long as the process)


def _message(error: Exception) -> str:
    if isinstance(error, _OWN_ERRORS):
        return " ".join(str(error).split())
    if isinstance(error, ImportError) and (message := missing_package_message(error)):
        return message
    if _is_output_error(error):
        return f"Cannot write output: {system_reason(error)}."
    if _lacks_character(error):
        return (
            f"Cannot write output: standard output has the encoding {sys.stdout.encoding}, which cannot represent "
            "all of its characters. Use a locale with UTF-8, or set PYTHONIOENCODING=utf-8."
        )
    if isinstance(error, OSError) and error.filename is not None:
        return f"Cannot access '{error.filename}': {system_reason(error)}."
    # the text of any other error may repeat a value, which may be a secret
    return f"Unexpected error {type(error).__name__}. Run the command again with {TRACEBACK} and report its output."


def _is_output_error(error: Exception) -> bool:
    """Whether standard output (or a file that is already open) cannot take more: its error names no file."""
    return isinstance(error, OSError) and error.filename is None and error.errno in _DEVICE_ERRORS


def _lacks_character(error: Exception) -> bool:
    """Whether standard output is not in UTF-8 and cannot take a character, which the message must not repeat."""
    return isinstance(error, UnicodeEncodeError) and codecs.lookup(sys.stdout.encoding).name != "utf-8"


def _discard_output() -> None:
    """Send what Python still buffers nowhere, or it would fail again as it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
