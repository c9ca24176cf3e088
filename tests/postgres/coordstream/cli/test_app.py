"""The program's front door: its commands, wrong use, errors and signals."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NoReturn

import psycopg
import pytest

from coordstream.cli import app
from coordstream.cli.app import COMMANDS, load, main
from tests.checkout import CHECKOUT
from tests.fixtures.coordstream.command_line import CommandLine, in_own_process, started, without_settings
from tests.fixtures.waiting import PATIENCE, wait_until

STREAM: Final = "__samza_coordinator_wordcount-pv_1"
HEAVY = ("sqlalchemy", "alembic", "pyspark", "matplotlib", "psycopg", "pandas", "pyarrow", "humanize")
SHOW_IMPORTS = """
import sys
from coordstream.cli import main
code = main(["--help"])
print([name for name in sys.argv[1:] if name in sys.modules], file=sys.stderr)
sys.exit(code)
"""


def every_command() -> Iterator[tuple[str, list[str]]]:
    """The words of every command that can be run, and its options."""
    for word in COMMANDS:
        top = load(word)
        below = {f"{word} {verb}": known for verb, known in getattr(top, "commands", {}).items()}
        itself = {word: top} if getattr(top, "invoke_without_command", True) else {}
        for words, known in {**below, **itself}.items():
            yield words, [option for parameter in known.params for option in parameter.opts]


EVERY_COMMAND: Final = dict(every_command())


def test_help_lists_every_command_and_imports_none() -> None:
    program = [sys.executable, "-c", SHOW_IMPORTS, *HEAVY]
    ended = subprocess.run(program, env=without_settings(), cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "[]\n")
    assert all(f"  {word} " in ended.stdout for word in COMMANDS)


@pytest.mark.parametrize("words", EVERY_COMMAND)
def test_every_command_has_help_without_settings(
    words: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COORDSTREAM_DATABASE_URL", "postgresql://u:hunter2@h/d")
    assert main([*words.split(), "--help"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(f"Usage: coordstream {words} ")
    assert f"Example: coordstream {words}" in " ".join(printed.split()) or words.startswith("spark ")
    assert "hunter2" not in printed


def test_every_command_can_print_json() -> None:
    programs = {"psql", "export", "serve", *(words for words in EVERY_COMMAND if words.startswith("spark "))}
    assert {words for words, options in EVERY_COMMAND.items() if "--json" not in options} <= programs


def test_text_that_is_not_utf8_is_refused(cli: CommandLine) -> None:
    assert "Arguments have to be UTF-8." in cli.refused("export", "\udcff")


def test_an_unexpected_error_shows_its_traceback_on_demand(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(arguments: list[str]) -> int:
        raise LookupError(f"hunter2 {arguments}")

    monkeypatch.setattr(app, "_run", fail)
    assert main(["status"]) == 1
    assert capsys.readouterr().err == (
        "Unexpected error LookupError. Run the command again with --traceback and report its output.\n"
    )
    assert main(["status", "--traceback"]) == 1
    printed = capsys.readouterr().err
    assert "in fail\n" in printed
    assert printed.endswith("LookupError\n")


def test_words_after_two_dashes_belong_to_the_program_that_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[list[str]] = []

    def run(arguments: list[str]) -> int:
        given.append(arguments)
        return 0

    monkeypatch.setattr(app, "_run", run)
    assert main(["spark", "job", "--", "--traceback"]) == 0
    assert given == [["spark", "job", "--", "--traceback"]]


def test_the_package_can_be_run_as_a_file() -> None:
    """As spark-submit does. Python then puts the file's folder on the path."""
    ended = subprocess.run(
        [sys.executable, str(CHECKOUT / "coordstream" / "__main__.py"), "spark", "replay", "--master", "nonsense"],
        env=without_settings(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 2
    assert "Invalid '--master' value 'nonsense'. Expected local, " in ended.stderr


@pytest.mark.parametrize(
    ("redirection", "code", "message"),
    [("| head -n 1", 1, ""), (">&-", 0, ""), ("> /dev/full", 1, "Cannot write output: no space left on device.\n")],
)
def test_output_that_is_not_accepted(wordcount: CommandLine, redirection: str, code: int, message: str) -> None:
    environment = {**without_settings(), "COORDSTREAM_DATABASE_URL": wordcount.database_url}
    command = f"set -o pipefail; {sys.executable} -m coordstream export {STREAM} {redirection}"
    ended = subprocess.run(["bash", "-c", command], env=environment, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (code, message)


def test_an_encoding_without_a_character_gets_escapes(wordcount: CommandLine) -> None:
    words = ("config", "show", "wordcount_pv")
    settings = {"COORDSTREAM_DATABASE_URL": wordcount.database_url, "PYTHONIOENCODING": "ascii"}
    table = in_own_process(*words, **settings)
    assert (table.code, table.err) == (0, "")
    assert len(table.out.splitlines()) == len(wordcount.done(*words).splitlines())
    assert in_own_process(*words, "--json", **settings).json == wordcount.rows(*words)


def test_paths_may_have_any_bytes(wordcount: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"\xff")
    finished = in_own_process("export", STREAM, "-o", str(path), COORDSTREAM_DATABASE_URL=wordcount.database_url)
    assert finished.code == 0
    assert path.exists()


WAITING = "select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_cancels_the_query_under_way(cli: CommandLine, number: signal.Signals) -> None:
    with cli.connection() as blocker, psycopg.connect(cli.database_url, autocommit=True) as watcher:
        blocker.execute("lock table eventlog.event in access exclusive mode")
        with started(cli, "status") as child:
            wait_until(lambda: watcher.execute(WAITING).fetchall(), what="the query to wait")
            child.send_signal(number)
            _, printed = child.communicate(timeout=PATIENCE)
        wait_until(lambda: not watcher.execute(WAITING).fetchall(), what="the server to end the query")
    assert child.returncode == 128 + number
    assert printed.strip() == "Interrupted. The current transaction was rolled back; earlier work is kept."


def test_ctrl_c_before_the_command_runs_is_one_message(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt() -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(app, "build_app", interrupt)
    assert main(["status"]) == 130
    assert capsys.readouterr().err.startswith("Interrupted.")


def test_commands_verbs_and_options_are_completed_without_a_database(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("_COORDSTREAM_COMPLETE", "complete_fish")
    monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
    for line, offered in (("che", "checkpoint"), ("startpoint f", "fan-out"), ("config diff --f", "--from")):
        monkeypatch.setenv("_TYPER_COMPLETE_ARGS", f"coordstream {line}")
        with pytest.raises(SystemExit):
            main([])
        assert [each.partition("\t")[0] for each in capsys.readouterr().out.splitlines()] == [offered]
