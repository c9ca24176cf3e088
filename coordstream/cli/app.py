"""The program ``coordstream``: which commands there are, and how each of them ends.

Exit code 0: done; 1: failed, with a message on standard error; 2: invalid usage; 128 plus the number of the signal
that ended it (130: Ctrl-C). Only the module of the command that is run is imported, and below a noun only the module of
its verb: commands start quickly.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Final, NamedTuple

import typer

import coordstream
from coordstream.cli.completion import completed_line
from coordstream.cli.failure import (
    TRACEBACK,
    close_broken_output,
    follows_interrupt,
    replace_closed_streams,
    report,
    report_usage,
)
from coordstream.cli.plain_help import PlainGroup
from coordstream.cli.termination import interrupted_by_signals
from coordstream.cli.verbs import noun_app, reflow
from eventlog.events import no_collections

PROGRAM: Final = "coordstream"
INTERRUPTED: Final = 130
"""Typer's exit code for Ctrl-C."""


class Command(NamedTuple):
    """A word of the command line, the module that defines it, and whether a verb follows it."""

    word: str
    module: str
    help: str
    has_verbs: bool = False


COMMANDS: Final = (
    Command("up", "server", "Start the embedded Postgres and migrate it."),
    Command("down", "server", "Stop the embedded Postgres."),
    Command("backup", "backup", "Write the embedded database to a file."),
    Command("restore", "backup", "Restore a backup into the embedded database."),
    Command("reset", "backup", "Delete all data of the embedded database."),
    Command("psql", "server", "Open psql on the database."),
    Command("migrate", "migrate", "Migrate the database schema.", has_verbs=True),
    Command("grant", "grant", "Grant a database user the right to read, replay or append."),
    Command("follow", "follow.command", "Read streams into the database as they grow."),
    Command("import", "recording.import_command", "Import recordings (JSON lines, gzipped or not)."),
    Command("export", "recording.export_command", "Export a stream as a recording."),
    Command("status", "status.show", "Show how far each log has been read."),
    Command("job", "job.show", "List jobs and show the state of their logs.", has_verbs=True),
    Command("log", "log.show", "Show, create and append to logs.", has_verbs=True),
    Command("config", "config.show", "Show and change a job's config, now and in the past.", has_verbs=True),
    Command(
        "checkpoint", "checkpoint.show", "Show and write the tasks' checkpoints, now and in the past.", has_verbs=True
    ),
    Command(
        "startpoint",
        "startpoint.show",
        "Show and write startpoints, which override checkpoints at the next start.",
        has_verbs=True,
    ),
    Command("rewind", "rewind.plan", "Start a job from other offsets, with a plan that can be undone.", has_verbs=True),
    Command("coordinator", "coordinator.run", "Coordinate a job: serve its job model to containers.", has_verbs=True),
    Command("explain", "explain", "Explain from where a task starts, and why."),
    Command("bisect", "bisect.command", "Find the event that made a condition about a job true."),
    Command("lag", "lag.show", "Show how far tasks are behind their inputs."),
    Command(
        "bridge",
        "bridge.consumer_groups",
        "Show the progress of jobs to tools for Kafka consumer groups.",
        has_verbs=True,
    ),
    Command("watch", "watch.command", "Show what happens to a job, as sentences."),
    Command("quarantine", "quarantine", "Show events that could not be decoded.", has_verbs=True),
    Command("rebuild", "rebuild", "Rebuild the relations' tables from the log."),
    Command("verify", "verify", "Compare the relations' tables with the log."),
    Command("retention", "retention", "Detach the history before a horizon."),
    Command("serve", "serve", "Serve health, metrics, JSON and pages over HTTP."),
    Command("spark", "spark.jobs", "Run the data pipeline and reports on Spark.", has_verbs=True),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. A user's mistake never shows a traceback.

    While a shell asks for completions, they are printed instead, without errors.
    """
    replace_closed_streams()
    line = completed_line()
    if line is not None:
        return _complete(line)
    given = list(sys.argv[1:] if arguments is None else arguments)
    own = given[: given.index("--")] if "--" in given else given
    shows_traceback = TRACEBACK in own
    if shows_traceback:
        given.remove(TRACEBACK)
    with interrupted_by_signals() as received:
        try:
            code = _run_or_report(given, shows_traceback=shows_traceback)
        except KeyboardInterrupt:  # before Typer runs the command, or after it
            code = INTERRUPTED
    if code != INTERRUPTED:
        return code
    print("Interrupted. The current transaction was rolled back; earlier work is kept.", file=sys.stderr)
    return 128 + received[0] if received else INTERRUPTED


def _run_or_report(arguments: list[str], *, shows_traceback: bool) -> int:
    try:
        return _run(arguments)
    except typer.TyperException as error:
        return report_usage(error)
    except BrokenPipeError:
        return close_broken_output()
    except Exception as error:
        return INTERRUPTED if follows_interrupt(error) else report(error, shows_traceback=shows_traceback)


def _run(arguments: list[str]) -> int:
    # not standalone: Typer then leaves errors and exit codes to us, including that of an interrupted command
    code = build_app(arguments)(arguments, prog_name=PROGRAM, standalone_mode=False)
    sys.stdout.flush()
    return code if isinstance(code, int) else 0


def _complete(line: list[str]) -> int:
    try:
        build_app(line)([], prog_name=PROGRAM, standalone_mode=False)  # ends the process once it has answered
    except Exception:
        return 1
    return 0


def build_app(arguments: Sequence[str]) -> typer.Typer:
    """The commands: the one that the arguments name in full, the others with a line of help only."""
    app = typer.Typer(
        cls=PlainGroup,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    word, verb, *_ = [*(argument for argument in arguments if not argument.startswith("-")), "", ""]
    module = next((command.module for command in COMMANDS if command.word == word), "")
    for command in COMMANDS:
        if command.word == word:
            with no_collections(freeze=True):  # one seventh of the time that loading took
                loaded = import_module(f"coordstream.cli.{command.module}")
            if command.has_verbs:
                app.add_typer(noun_app(loaded, verb), name=command.word, help=command.help, cls=PlainGroup)
            else:
                app.add_typer(reflow(loaded.app))
        elif command.module != module:  # otherwise it came with the module
            app.command(command.word, help=command.help)(_not_loaded)
    return app


def _print_version(is_requested: bool) -> None:
    if is_requested:
        print(coordstream.__version__)
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version.")
    ] = False,
) -> None:
    """Query and change the coordinator streams of Apache Samza jobs: an event log in Postgres, SQL relations, Spark."""


def _not_loaded() -> None:
    raise AssertionError("a command is loaded before it is run")
