"""`coordstream verify`: equal tables end with 0, others are named and end with 1."""

import json
from pathlib import Path
from typing import Final

import pytest

from eventlog.postgres.connection import connect
from tests.builders import config_set, recorded
from tests.coordstream.command_line import CHECKPOINT, COORDINATOR, RECORDING_A, CommandLine, recording

DAMAGE: Final = "update projection.message_current set host = 'elsewhere'"


@pytest.fixture
def imported(cli: CommandLine) -> CommandLine:
    cli.done("import", *RECORDING_A)
    return cli


def test_equal_tables_end_with_0(imported: CommandLine) -> None:
    rows = imported.rows("verify", "wordcount_pv")
    assert {row["stream_name"] for row in rows} == {COORDINATOR, CHECKPOINT}
    assert {(row["missing"], row["extra"], row["different"]) for row in rows} == {(0, 0, 0)}
    assert {row["job_name"] for row in rows} == {"wordcount_pv"}
    assert "(all equal)" in imported.done("verify", "--all")


def test_differences_are_named_and_end_with_1(imported: CommandLine) -> None:
    with connect(imported.database_url) as connection:
        connection.execute(DAMAGE.encode())
    finished = imported("verify", "wordcount_pv", "--json")
    assert finished.code == 1
    (row,) = (row for row in finished.json if row["different"])
    assert (row["stream_name"], row["relation"]) == (COORDINATOR, "message_current")
    assert len(row["examples"]) == 10
    assert {example["stored"]["host"] for example in row["examples"]} == {"elsewhere"}
    table = imported("verify", "wordcount_pv")
    assert table.code == 1
    first = row["examples"][0]
    assert f"{COORDINATOR}, message_current, key_id {first['key']['key_id']}: different\n" in table.out
    assert json.dumps(first["expected"], ensure_ascii=False) in table.out


@pytest.mark.parametrize(
    "damage",
    [
        "truncate projection.job_log, projection.position",
        "delete from projection.job_log where stream_kind = 'checkpoint'",
        "delete from projection.position where log_id = 1",
    ],
)
def test_a_log_whose_rows_are_missing_is_not_equal(imported: CommandLine, damage: str) -> None:
    before = imported.ask("table projection.job_log order by log_id")
    with connect(imported.database_url) as connection:
        connection.execute(damage.encode())
    assert "Run `coordstream rebuild --all`." in imported.refused("verify", "--all")
    imported.done("rebuild", "--all")
    imported.done("verify", "--all")
    assert imported.ask("table projection.job_log order by log_id") == before


@pytest.mark.parametrize(
    "damage", ["is_current = false", "is_complete = false", "job_suffix = 'x'", "job_bucket = 5", "incarnation = 2"]
)
def test_a_damaged_entry_of_a_log_is_named(imported: CommandLine, damage: str) -> None:
    before = imported.ask("table projection.job_log order by log_id")
    with connect(imported.database_url) as connection:
        connection.execute(f"update projection.job_log set {damage} where stream_kind = 'checkpoint'".encode())
    finished = imported("verify", "--all", "--json")
    assert finished.code == 1
    assert {(row["stream_name"], row["relation"]) for row in finished.json if row["different"]} == {
        (CHECKPOINT, "job_log")
    }
    imported.done("rebuild", "--all")
    imported.done("verify", "--all")
    assert imported.ask("table projection.job_log order by log_id") == before


def test_secrets_stay_masked(cli: CommandLine, tmp_path: Path) -> None:
    events = recorded([config_set("job.name", "counts"), config_set("db.password", "hunter2")])
    cli.done("import", recording(tmp_path / "r.jsonl", events))
    with connect(cli.database_url) as connection:
        connection.execute(DAMAGE.encode())
    finished = cli("verify", "--all")
    assert finished.code == 1
    assert "hmac-sha256:" in finished.out
    assert "hunter2" not in finished.out


@pytest.mark.parametrize("words", [(), ("wordcount_pv", "--all")], ids=["neither", "both"])
def test_jobs_or_all_of_them(imported: CommandLine, words: tuple[str, ...]) -> None:
    assert "or use '--all'" in imported.refused("verify", *words, code=2)


def test_an_unknown_job_and_an_empty_database_are_errors(cli: CommandLine) -> None:
    cli.refused("verify", "--all")
    cli.done("import", *RECORDING_A)
    assert "nojob" in cli.refused("verify", "nojob")
