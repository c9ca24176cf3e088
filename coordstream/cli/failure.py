"""How a command that fails says why: one sentence on standard error, and an exit code."""

import errno
import os
import re
import sys
from typing import Final

import typer

from coordstream.errors import CoordstreamError, describe_crash
from coordstream.extras import missing_package_message
from eventlog.errors import EventLogError, printable_text, system_reason
from projections.errors import ProjectionError

TRACEBACK: Final = "--traceback"
FAILED: Final = 1

# of a check that is not of one option, or where our message already begins with "Invalid time '…'"
_TYPER_PREFIX: Final = re.compile(r"^Invalid value(: | for '[^']+': (?=Invalid ))")
_PYDANTIC_PREFIX: Final = ": Value error, "
# what Typer repeats may be a part of a secret value with spaces
_EXTRA_ARGUMENTS: Final = re.compile(r"^(Got unexpected extra arguments?)\b.*", re.DOTALL)


def report(error: Exception, *, shows_traceback: bool) -> int:
    """Print what went wrong, or where from if the user wants the traceback; the exit code is 1."""
    if shows_traceback:
        print(describe_crash(error), file=sys.stderr)
    elif not isinstance(error, BrokenPipeError):
        print(printable_text(_message(error)), file=sys.stderr)
    if isinstance(error, OSError) and error.errno in (errno.EPIPE, errno.ENOSPC):
        # send what Python still buffers nowhere, or it would fail again as it ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return FAILED


def report_usage(error: typer.TyperException) -> int:
    """Print what is wrong with the command line, and where its help is."""
    if error.format_message().startswith("Usage: "):  # the help, where the command is missing
        print(error.format_message())
        return error.exit_code
    message = _TYPER_PREFIX.sub("", " ".join(error.format_message().split())).replace(_PYDANTIC_PREFIX, ": ")
    message = _EXTRA_ARGUMENTS.sub(r"\1 (quote a value that has spaces)", message)
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "coordstream"
    end = "" if message.endswith((".", "?")) else "."
    print(f"{message}{end} See `{path} --help`.", file=sys.stderr)
    return error.exit_code


def _message(error: Exception) -> str:
    if isinstance(error, CoordstreamError | EventLogError | ProjectionError):
        return " ".join(str(error).split())
    if isinstance(error, ImportError) and (message := missing_package_message(error)):
        return message
    if isinstance(error, UnicodeEncodeError):
        return (
            f"Cannot encode text as {error.encoding}. Arguments have to be UTF-8. If the output has characters that "
            "the terminal lacks, use a locale with UTF-8 or set PYTHONIOENCODING=utf-8."
        )
    if isinstance(error, OSError) and error.filename is not None:
        return f"Cannot access '{error.filename}': {system_reason(error)}."
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return f"Cannot write output: {system_reason(error)}."
    # the text of any other error may repeat a value, which may be a secret
    return f"Unexpected error {type(error).__name__}. Run the command again with {TRACEBACK} and report its output."
