import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Final

import pytest
import typer

import coordstream
from coordstream.cli import app as front
from coordstream.cli.app import COMMANDS, build_app, main
from coordstream.cli.failure import PIPE_CLOSED
from coordstream.cli.spark.jobs import JOBS
from tests.coordstream.command_line import CHECKOUT, CommandLine, without_settings

HEAVY = ("sqlalchemy", "alembic", "pyspark", "matplotlib", "psycopg", "pandas", "pyarrow", "humanize")
PYTHON_TYPE: Final = re.compile(r"<(?:bool|str|path|int|float|list)\b[^>]*>")
SHOW_IMPORTS = """
import sys
from collections.abc import Iterator
from typing import Final
from coordstream.cli import main
code = main(["--help"])
print([name for name in sys.argv[1:] if name in sys.modules], file=sys.stderr)
sys.exit(code)
"""


def test_help_lists_every_command_and_imports_nothing_heavy() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", SHOW_IMPORTS, *HEAVY],
        env=without_settings(),
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "[]\n")
    assert all(f" {command.word} " in ended.stdout for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.word)
def test_every_command_has_help(command: front.Command, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command.word, "--help"]) == 0
    assert f"Usage: coordstream {command.word}" in capsys.readouterr().out


def test_help_fits_80_columns_and_names_no_types_of_python(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for words in ("", *(words for words, _ in every_command())):
        assert main([*words.split(), "--help"]) == 0
        printed = capsys.readouterr().out
        assert max(map(len, printed.splitlines())) <= 80, words
        assert not PYTHON_TYPE.findall(printed), words


@pytest.mark.parametrize(
    ("words", "usage"),
    [
        ("log retire", "coordstream log retire [OPTIONS] STREAM..."),
        ("grant", "coordstream grant [OPTIONS] ROLE USER"),
    ],
)
def test_usage_names_each_argument_once(words: str, usage: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words.split(), "--help"]) == 0
    assert f" Usage: {usage} \n" in re.sub(" +\n", " \n", capsys.readouterr().out)


def test_help_shows_no_settings(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COORDSTREAM_DATABASE_URL", "postgresql://u:hunter2@h/d")
    assert [main([command.word, "--help"]) for command in COMMANDS] == [0] * len(COMMANDS)
    assert "hunter2" not in "".join(capsys.readouterr())


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["nope"], "No such command 'nope'. See `coordstream --help`."),
        (["config", "nope"], "No such command 'nope'. See `coordstream config --help`."),
        (["config", "show"], "Missing argument 'JOB'. See `coordstream config show --help`."),
        (["status", "--nope"], "No such option: --nope. See `coordstream status --help`."),
        (["import"], "Missing argument 'FILE'. See `coordstream import --help`."),
        (["spark", "replay", "--from"], "Option '--from' requires an argument. See `coordstream spark replay --help`."),
        (["spark", "nope"], "No such command 'nope'. See `coordstream spark --help`."),
        (
            ["config", "show", "j", "--as-of", "noon"],
            "Invalid time 'noon'. Use ISO 8601 (2026-01-31T12:00Z), a ",
        ),
        (["config", "show", "j", "--as-of-offset", "x"], "Invalid value for '--as-of-offset'"),
        (["config", "show", "j", "--as-of-offset", "-1"], "Invalid value for '--as-of-offset'"),
        (["checkpoint", "show", "j", "--as-of-offset", str(2**63)], "Invalid value for '--as-of-offset'"),
        (["config", "show", "j", "--as-of", "2026-01-01", "--as-of-offset", "1"], "cannot be used together"),
        (["log", "show", "--limit", "0"], "Invalid value for '--limit'"),
        (
            ["config", "history", "j", "--since", "now", "--until", "yesterday"],
            "Invalid time range: '--since' (",
        ),
        (
            ["log", "show", "s", "--until", "2026-01-01", "--since", "2026-01-02"],
            "'--since' (2026-01-02 00:00:00 UTC) is after '--until' (2026-01-01 00:00:00 UTC). Exchange",
        ),
        (["log", "show", "s", "--incarnation", "0"], "Invalid value for '--incarnation': '0'. Expected a number, 1 or"),
        (["import", "f", "--processes", "two"], "Invalid value for '--processes': 'two'. Expected a number, 1 or more"),
        (["log", "create", "s", "--replication-factor", "40000"], "'40000'. Expected a number from 1 to 32767."),
    ],
)
def test_invalid_usage_is_one_message_and_exit_code_2(cli: CommandLine, words: list[str], sentence: str) -> None:
    assert sentence in cli.refused(*words, code=2)
    assert cli.is_empty()


def test_the_prefix_of_typer_is_dropped_before_our_own(cli: CommandLine) -> None:
    assert cli.refused("config", "show", "j", "--as-of", "noon", code=2).startswith("Invalid time 'noon'. Use ISO 8601")


@pytest.mark.parametrize("words", [[], ["config"], ["checkpoint"], ["log"]])
def test_without_a_verb_there_is_help_and_exit_code_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    printed = capsys.readouterr()
    assert "Usage: coordstream" in printed.out
    assert printed.err == ""


def test_only_the_module_of_the_command_is_loaded() -> None:
    loaded = {command.name for command in build_app(["down"]).registered_commands}
    assert {"import", "status"} <= loaded
    assert "down" not in loaded


NOUNS: Final = ("config", "checkpoint", "startpoint", "log")


@pytest.mark.parametrize("noun", NOUNS)
def test_verbs_of_other_modules_are_there_when_named_or_listed(noun: str) -> None:
    (module,) = [command.module for command in COMMANDS if command.word == noun]
    elsewhere = {verb.word for verb in import_module(f"coordstream.cli.{module}").VERBS}
    own = verbs_of([noun, "show"])
    assert "show" in own
    assert not own & elsewhere
    assert [verbs_of([noun, verb, "--json"]) for verb in sorted(elsewhere)] == [own | {v} for v in sorted(elsewhere)]
    for line in ([noun], [noun, "--help"], [noun, "sho"], ["--help", noun]):
        assert verbs_of(line) == own | elsewhere


def test_a_misspelt_verb_of_another_module_is_suggested(cli: CommandLine) -> None:
    assert "No such command 'apend'. Did you mean 'append'?" in cli.refused("log", "apend", code=2)


def verbs_of(line: list[str]) -> set[str]:
    noun = next(word for word in line if not word.startswith("-"))
    return set(typer.main.get_command(build_app(line)).commands[noun].commands)  # type: ignore[attr-defined]


def test_an_unexpected_error_shows_its_traceback_on_demand(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(arguments: list[str]) -> int:
        raise LookupError(f"hunter2 {arguments}")

    monkeypatch.setattr(front, "_run", fail)
    assert main(["status"]) == 1
    assert capsys.readouterr().err == (
        "Unexpected error LookupError. Run the command again with --traceback and report its output.\n"
    )
    assert main(["status", "--traceback"]) == 1
    printed = capsys.readouterr().err
    assert "in fail\n" in printed
    assert "LookupError: (message left out" in printed
    assert "hunter2" not in printed.replace('raise LookupError(f"hunter2 {arguments}")', "")


def test_words_after_two_dashes_belong_to_the_program_that_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[list[str]] = []

    def run(arguments: list[str]) -> int:
        given.append(arguments)
        return 0

    monkeypatch.setattr(front, "_run", run)
    assert main(["spark", "job", "--", "--traceback"]) == 0
    assert given == [["spark", "job", "--", "--traceback"]]


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"{coordstream.__version__}\n"


def test_the_package_can_be_run_as_a_module() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "coordstream", "--version"],
        env=without_settings(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, f"{coordstream.__version__}\n", "")


def test_the_package_can_be_run_as_a_file() -> None:
    """As spark-submit does. Python then puts the file's folder on the path, whose `http` hid the standard library's."""
    ended = subprocess.run(
        [sys.executable, str(CHECKOUT / "coordstream" / "__main__.py"), "spark", "replay", "--master", "nonsense"],
        env=without_settings(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 2
    assert "Invalid '--master' value 'nonsense'. Expected local, " in ended.stderr


def test_h_is_help(capsys: pytest.CaptureFixture[str]) -> None:
    for words in ([], ["status"], ["config"], ["config", "show"]):
        assert main([*words, "-h"]) == 0
        short = capsys.readouterr().out
        assert main([*words, "--help"]) == 0
        assert capsys.readouterr().out == short


def test_a_closed_pipe_is_silent(wordcount: CommandLine) -> None:
    command = "set -o pipefail; exec 2>&1; {python} -m coordstream.cli export {stream} | head -n 1 >/dev/null"
    filled = command.format(python=sys.executable, stream="__samza_coordinator_wordcount-pv_1")
    environment = {**without_settings(), "COORDSTREAM_DATABASE_URL": wordcount.database_url}
    ended = subprocess.run(["bash", "-c", filled], env=environment, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (PIPE_CLOSED, "", "")


@pytest.mark.parametrize("words", ["status", "export __samza_coordinator_wordcount-pv_1", "status --help"])
def test_a_full_device_is_one_message(wordcount: CommandLine, words: str) -> None:
    environment = {**without_settings(), "COORDSTREAM_DATABASE_URL": wordcount.database_url}
    command = f"{sys.executable} -m coordstream.cli {words} > /dev/full"
    ended = subprocess.run(["bash", "-c", command], env=environment, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (1, "Cannot write output: no space left on device.\n")


@pytest.mark.parametrize("encoding", ["ascii", "iso8859-1", "cp1252"])
def test_an_encoding_without_a_character_is_one_message(wordcount: CommandLine, encoding: str) -> None:
    environment = {**without_settings(), "COORDSTREAM_DATABASE_URL": wordcount.database_url}
    command = [sys.executable, "-m", "coordstream.cli", "config", "show", "wordcount_pv", "--key", "app.unicode"]
    ended = subprocess.run(command, env={**environment, "PYTHONIOENCODING": encoding}, capture_output=True, check=False)
    assert ended.returncode == 1
    assert ended.stderr.decode() == (
        f"Cannot write output: standard output has the encoding {encoding}, which cannot represent all of its "
        "characters. Use a locale with UTF-8, or set PYTHONIOENCODING=utf-8.\n"
    )


def test_closed_standard_output_is_not_an_error(wordcount: CommandLine) -> None:
    environment = {**without_settings(), "COORDSTREAM_DATABASE_URL": wordcount.database_url}
    command = f"{sys.executable} -m coordstream.cli status >&-"
    ended = subprocess.run(["bash", "-c", command], env=environment, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_file_that_cannot_be_written_is_named(wordcount: CommandLine) -> None:
    refused = wordcount.refused("export", "__samza_coordinator_wordcount-pv_1", "--output", "/nowhere/out.jsonl")
    assert "/nowhere" in refused
    assert "Unexpected" not in refused


def test_the_exit_code_of_a_command_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def end(*_: object, **__: object) -> int:
        return 3

    monkeypatch.setattr(typer.Typer, "__call__", end)
    assert main(["status"]) == 3


#: psql and Spark jobs run another program, an export is JSON lines, and a server logs
WITHOUT_JSON: Final = {"psql", "export", "serve", *(f"spark {job}" for job in JOBS)}
#: they report an action, not rows
WITHOUT_ROWS: Final = {
    *("up", "down", "backup", "restore", "reset", "grant", "spark", "spark replay", "spark follow"),
    *("migrate", "migrate upgrade", "migrate current"),
    *(
        "follow",
        "log create",
        "log append",
        "log retire",
        "coordinator run",
        "spark archive",
    ),
    "watch",
}
WITHOUT_RELATIVE_TIMES: Final = WITHOUT_ROWS | {
    *("import", "config diff", "explain", "rebuild", "verify", "spark verify"),
    *("checkpoint write", "startpoint write", "startpoint delete", "startpoint fan-out"),
    *("rewind plan", "rewind apply", "rewind undo", "bridge consumer-groups"),
    *("config set", "config delete", "config write", "config check"),
}


def every_command() -> Iterator[tuple[str, list[str]]]:
    """The words of every command that can be run, and its options."""
    for command in COMMANDS:
        top = typer.main.get_command(build_app([command.word])).commands[command.word]  # type: ignore[attr-defined]
        below = {f"{command.word} {verb}": known for verb, known in getattr(top, "commands", {}).items()}
        itself = {command.word: top} if getattr(top, "invoke_without_command", True) else {}
        for words, known in {**below, **itself}.items():
            yield words, [option for parameter in known.params for option in parameter.opts]


def test_every_command_can_print_json() -> None:
    without = {words for words, options in every_command() if "--json" not in options}
    assert without == WITHOUT_JSON


@pytest.mark.parametrize("command", ["up", "down", "backup", "restore", "reset"])
def test_help_of_a_command_that_prints_an_object_says_so(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    assert "Print a JSON object." in capsys.readouterr().out


@pytest.mark.parametrize(
    "words", [("log", "create", "x"), ("import", "x.jsonl"), ("follow", "x", "--once"), ("log", "append", "x")]
)
def test_an_unknown_kind_of_stream_is_invalid_usage(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words, "--kind", "bar"]) == 2
    refused = capsys.readouterr().err
    assert refused.startswith("Invalid value for '--kind': 'bar'. Expected coordinator or checkpoint. See `")


@pytest.mark.parametrize(
    "words",
    [
        ("config", "set", "orders", "db.password", "my", "SECRETTAIL"),
        ("log", "append", "x", "--key", "k", "--value", "my", "SECRETTAIL"),
    ],
)
def test_extra_words_that_may_be_of_a_secret_are_not_shown(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert capsys.readouterr().err.startswith(
        "Got unexpected extra arguments (not shown: they may be part of a value). Quote a value that has spaces. See `"
    )


def test_every_command_that_prints_rows_can_print_csv() -> None:
    without = {words for words, options in every_command() if "--json" in options and "--csv" not in options}
    assert without == WITHOUT_ROWS


def test_every_history_can_be_bounded() -> None:
    histories = {"checkpoint history", "config history", "startpoint show", "quarantine show", "log show"}
    bounded = {words for words, options in every_command() if {"--since", "--until", "--limit"} <= set(options)}
    assert bounded >= histories
    assert {words for words, _ in every_command() if "history" in words} <= histories


def test_commands_with_relative_times_have_utc() -> None:
    without = {words for words, options in every_command() if "--json" in options and "--utc" not in options}
    assert without == WITHOUT_RELATIVE_TIMES
