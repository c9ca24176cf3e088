"""The program ``coordstream``: its commands, and how a command ends.

Exit code 0: done; 1: refused or failed, with one sentence on standard error; 2: wrong use; 130: Ctrl-C; 143: SIGTERM.
Only the module of the command that is run is imported.
"""

import errno
import os
import re
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from io import TextIOWrapper
from threading import current_thread, main_thread
from types import FrameType
from typing import Annotated, Any, Final, NoReturn

import typer
from typer.core import TyperGroup

import coordstream
from coordstream.errors import CoordstreamError, describe_crash, missing_message
from eventlog.errors import EventLogError, printable_text, system_reason
from projections.errors import ProjectionError

FAILED: Final = 1
INTERRUPTED: Final = 128 + signal.SIGINT
TERMINATED: Final = 128 + signal.SIGTERM
TRACEBACK: Final = "--traceback"

COMMANDS: Final = {
    "up": "Start the embedded Postgres and migrate it.",
    "down": "Stop the embedded Postgres.",
    "psql": "Open psql on the database.",
    "db": "Back up and migrate the database, and grant its users rights.",
    "follow": "Read streams into the database as they grow.",
    "import": "Import recordings (JSON lines, gzipped or not).",
    "export": "Export a stream as a recording, or relations as files.",
    "status": "Show how far each log has been read.",
    "job": "List jobs and show the state of their logs.",
    "log": "Show, create and append to logs.",
    "config": "Show and change a job's config, now and in the past.",
    "checkpoint": "Show and write the tasks' checkpoints, now and in the past.",
    "startpoint": "Show and write startpoints, which override checkpoints at the next start.",
    "rewind": "Start a job from other offsets, with a plan that can be undone.",
    "coordinator": "Coordinate a job: serve its job model to containers.",
    "explain": "Explain from where a task starts, and why.",
    "bisect": "Find the event that made a condition about a job true.",
    "lag": "Show how far tasks are behind their inputs.",
    "consumer-groups": "Commit checkpoints as offsets of Kafka consumer groups.",
    "quarantine": "Show events that could not be decoded.",
    "rebuild": "Rebuild the relations' tables from the archive.",
    "verify": "Compare the relations' tables with the archive.",
    "retention": "Detach the history before a horizon.",
    "serve": "Serve health, metrics, JSON and pages over HTTP.",
    "spark": "Run the data pipeline and reports on Spark.",
}
MODULES: Final = {"up": "server", "down": "server", "psql": "server", "import": "imports", "rebuild": "verify"}
"""Where a command is, unless its module has the command's name (with an underscore for a dash)."""

_UsageError: Final[Any] = typer.BadParameter.__base__
"""The class of all errors in a command line, which is Click's in older versions of Typer."""
# of a check that is not of one option, or where our message already begins with "Invalid time '…'"
_TYPER_PREFIX: Final = re.compile(r"^Invalid value(: | for '[^']+': (?=Invalid ))")
_PYDANTIC_PREFIX: Final = ": Value error, "
# what Typer repeats may be a part of a secret value with spaces
_EXTRA_ARGUMENTS: Final = re.compile(r"^(Got unexpected extra arguments?)\b.*", re.DOTALL)


class LazyGroup(TyperGroup):
    """The commands. Each is a name and a line of help until it is run, completed or asked for its own help."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Load the named command, then find it."""
        if args[0] in COMMANDS:
            self.commands[args[0]] = load(args[0])
        return super().resolve_command(ctx, args)


def load(word: str) -> Any:
    """The command, or the noun with its verbs, that the ``app`` of its module defines."""
    module = import_module(f"coordstream.cli.{MODULES.get(word, word.replace('-', '_'))}")
    module.app.rich_markup_mode = None
    group = typer.main.get_group(module.app)
    group.no_args_is_help, group.help = True, COMMANDS[word]
    command = group.commands.get(word, group)
    command.name, command.short_help = word, COMMANDS[word]
    return command


def build_app() -> typer.Typer:
    """The program: a line of help for each command."""
    app = typer.Typer(
        cls=LazyGroup,
        no_args_is_help=True,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    for word, line in COMMANDS.items():
        app.command(word, help=line)(_not_loaded)
    return app


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name) or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")  # None: it is closed
        setattr(sys, name, stream)
        if isinstance(stream, TextIOWrapper):  # a table is printed whole where its encoding lacks a character
            stream.reconfigure(errors="backslashreplace")
    given = list(sys.argv[1:] if arguments is None else arguments)
    own = given[: given.index("--")] if "--" in given else given
    if shows_traceback := TRACEBACK in own:
        given.remove(TRACEBACK)
    with interrupted_by_sigterm() as received:
        try:
            code = _run(given)
        except (KeyboardInterrupt, typer.Abort):  # the latter from older versions of Typer
            code = INTERRUPTED
        except Exception as error:
            return report(error, shows_traceback=shows_traceback)
    if code != INTERRUPTED:
        return code
    print("Interrupted. The current transaction was rolled back; earlier work is kept.", file=sys.stderr)
    return TERMINATED if received else INTERRUPTED


@contextmanager
def interrupted_by_sigterm() -> Iterator[list[int]]:
    """Raise KeyboardInterrupt when SIGTERM comes; the list that is yielded then holds its number.

    psycopg cancels the running query on KeyboardInterrupt, so nothing is left running in the database.
    """
    received: list[int] = []

    def interrupt(number: int, _frame: FrameType | None) -> NoReturn:
        received.append(number)
        raise KeyboardInterrupt

    if current_thread() is not main_thread():  # only the main thread may handle signals
        yield received
        return
    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield received
    finally:
        signal.signal(signal.SIGTERM, before)


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


def report_usage(error: Any) -> int:
    """Print what is wrong with the command line, and where its help is."""
    if error.format_message().startswith("Usage: "):  # the help, where the command is missing
        print(error.format_message())
        return int(error.exit_code)
    message = _TYPER_PREFIX.sub("", " ".join(error.format_message().split())).replace(_PYDANTIC_PREFIX, ": ")
    message = _EXTRA_ARGUMENTS.sub(r"\1 (quote a value that has spaces)", message)
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "coordstream"
    end = "" if message.endswith((".", "?")) else "."
    print(f"{message}{end} See `{path} --help`.", file=sys.stderr)
    return int(error.exit_code)


def _message(error: Exception) -> str:
    if isinstance(error, CoordstreamError | EventLogError | ProjectionError):
        return " ".join(str(error).split())
    if isinstance(error, ImportError) and (message := missing_message(error.name)):
        return message
    if isinstance(error, UnicodeEncodeError):
        return f"Cannot encode an argument as {error.encoding}. Arguments have to be UTF-8."
    if isinstance(error, OSError) and error.filename is not None:
        return f"Cannot access '{error.filename}': {system_reason(error)}."
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return f"Cannot write output: {system_reason(error)}."
    # the text of any other error may repeat a value, which may be a secret
    return f"Unexpected error {type(error).__name__}. Run the command again with {TRACEBACK} and report its output."


def _run(arguments: list[str]) -> int:
    # not standalone: Typer then leaves errors and exit codes to us, including that of an interrupted command
    try:
        program = typer.main.get_command(build_app())
        code = program(arguments, prog_name="coordstream", standalone_mode=False)
    except _UsageError as error:
        code = report_usage(error)
    sys.stdout.flush()
    return code if isinstance(code, int) else 0


def _print_version(is_requested: bool) -> None:
    if is_requested:
        from eventlog.compiled import is_compiled  # noqa: PLC0415 (loads the parts)

        parts = "compiled" if is_compiled() else "without compiled parts, so imports are slower"
        print(f"coordstream {coordstream.__version__}, {parts}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version.")
    ] = False,
) -> None:
    """Query and change the coordinator streams of Apache Samza jobs: an event log in Postgres, SQL relations, Spark."""


def _not_loaded() -> None:
    raise AssertionError("a command is loaded before it is run")
