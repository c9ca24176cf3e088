"""The program ``coordstream``: which commands there are, and how each of them ends.

Exit code 0: done; 1: refused, with one sentence on standard error; 2: wrong use; 128 and the number of the signal
where one ended it (130: Ctrl-C). Only the module of the command that was asked for is imported, and below a noun the
module of its verb, so that commands start quickly.
"""

import os
import sys
from collections.abc import Sequence
from importlib import import_module, metadata
from typing import Annotated, Final, NamedTuple

import typer

from coordstream.cli.completion import completed_line
from coordstream.cli.termination import interrupted_by_signals
from coordstream.cli.verbs import noun_app
from coordstream.errors import CoordstreamError
from eventlog.errors import EventLogError
from projections.errors import ProjectionError

TRACEBACK: Final = "--traceback"
INTERRUPTED: Final = 130  # Typer's answer to Ctrl-C
PIPE_CLOSED: Final = 1  # as Typer ends where it sees this first


class Command(NamedTuple):
    """A word of the command line, the module that knows it, and whether a verb follows it."""

    word: str
    module: str
    help: str
    has_verbs: bool = False


COMMANDS: Final = (
    Command("up", "server", "Start the embedded Postgres and migrate it."),
    Command("down", "server", "Stop the embedded Postgres, and no other."),
    Command("psql", "server", "Open psql on the database."),
    Command("migrate", "migrate", "Bring the database to this program's schema.", has_verbs=True),
    Command("grant", "grant", "Let a user read the relations, replay the archive, or append."),
    Command("follow", "follow.command", "Take streams into the database as they grow."),
    Command("import", "recording.import_command", "Take recordings (JSON lines, gzipped or not) into the database."),
    Command("export", "recording.export_command", "Write a stream as a recording, with fingerprints for its secrets."),
    Command("status", "status.show", "Say how far each log is read and what is in quarantine."),
    Command("job", "job.show", "The jobs, and how their logs stand.", has_verbs=True),
    Command("task", "task", "A job's tasks: where they run, what they read, where they would start.", has_verbs=True),
    Command("log", "log.show", "The logs, and the events on them.", has_verbs=True),
    Command("config", "config.show", "A job's configuration, now and before.", has_verbs=True),
    Command("checkpoint", "checkpoint.show", "The tasks' checkpoints, now and before; writing others.", has_verbs=True),
    Command(
        "startpoint",
        "startpoint.show",
        "Startpoints: where a job is asked to start from, instead of its checkpoints.",
        has_verbs=True,
    ),
    Command("explain", "explain", "Say why a task starts where it does."),
    Command("quarantine", "quarantine", "Events whose bytes could not be understood.", has_verbs=True),
    Command("spark", "spark", "Run a Spark job over the relations."),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. A user's mistake never shows a traceback.

    While a shell asks for completions, they are printed instead, and errors are not.
    """
    line = completed_line()
    if line is not None:
        return _complete(line)
    given = list(sys.argv[1:] if arguments is None else arguments)
    own = given[: given.index("--")] if "--" in given else given
    shows_traceback = TRACEBACK in own
    if shows_traceback:
        given.remove(TRACEBACK)
    try:
        return _run(given)
    except typer.TyperException as error:
        return _wrong_use(error)
    except BrokenPipeError:
        return _pipe_closed()
    except Exception as error:
        if shows_traceback:
            from coordstream.cli.private_traceback import private_traceback  # noqa: PLC0415

            print(private_traceback(error), file=sys.stderr, end="")
        else:
            print(_sentence(error), file=sys.stderr)
        return 1


def _run(arguments: list[str]) -> int:
    # not standalone: Typer then leaves errors and exit codes to us, also that of an interrupted command
    with interrupted_by_signals() as received:
        code = build_app(arguments)(arguments, prog_name="coordstream", standalone_mode=False)
    sys.stdout.flush()
    if code == INTERRUPTED:
        print("interrupted: the step under way was undone, what was done before it stays.", file=sys.stderr)
        return 128 + received[0] if received else INTERRUPTED
    return code if isinstance(code, int) else 0


def _complete(line: list[str]) -> int:
    try:
        build_app(line)([], prog_name="coordstream", standalone_mode=False)  # ends the process once it has answered
    except Exception:
        return 1
    return 0


def build_app(arguments: Sequence[str]) -> typer.Typer:
    """The commands, with all there is to the one that the arguments name and just a line of help for the others."""
    app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)
    app.callback()(_root)
    word, verb, *_ = [*(argument for argument in arguments if not argument.startswith("-")), "", ""]
    module = next((command.module for command in COMMANDS if command.word == word), "")
    for command in COMMANDS:
        if command.word == word:
            loaded = import_module(f"coordstream.cli.{command.module}")
            if command.has_verbs:
                app.add_typer(noun_app(loaded, verb), name=command.word, help=command.help)
            else:
                app.add_typer(loaded.app, help=command.help)
        elif command.module != module:  # else it came with the module
            app.command(command.word, help=command.help)(_not_loaded)
    return app


def _print_version(asked: bool) -> None:
    if asked:
        print(metadata.version("coordstream"))
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version.")
    ] = False,
) -> None:
    """A Samza job's coordinator stream as an event log in Postgres, asked in SQL and read by Spark."""


def _not_loaded() -> None:
    raise AssertionError("a command is loaded before it is run")


def _wrong_use(error: typer.TyperException) -> int:
    message = " ".join(error.format_message().split()).rstrip(".")
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "coordstream"
    if message:  # empty where help was printed, because no verb was given
        print(f"{message}: `{path} --help` shows what can be given.", file=sys.stderr)
    return error.exit_code


def _pipe_closed() -> int:
    """The reader of our output has gone; Python must not stumble over that again as it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return PIPE_CLOSED


def _sentence(error: Exception) -> str:
    if isinstance(error, CoordstreamError | EventLogError | ProjectionError):
        return " ".join(str(error).split())
    # what an unforeseen error says may repeat a value, which may be a secret
    return f"unforeseen error {type(error).__name__}: run the command with {TRACEBACK} to see where, and report it."
