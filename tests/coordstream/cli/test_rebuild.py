"""`coordstream rebuild`: repairs what `verify` finds."""

import json
from pathlib import Path

import pytest

from eventlog.postgres.connection import connect
from projections import rebuild
from projections.fold import settings
from tests.builders import config_set, recorded
from tests.coordstream.command_line import CHECKPOINT, COORDINATOR, RECORDING_A, CommandLine, recording


@pytest.fixture
def imported(cli: CommandLine) -> CommandLine:
    cli.done("import", *RECORDING_A)
    return cli


def damage(cli: CommandLine, statement: str) -> None:
    with connect(cli.database_url) as connection:
        connection.execute(statement.encode())


def test_damage_is_repaired(imported: CommandLine) -> None:
    config = imported.rows("config", "show", "wordcount_pv")
    damage(imported, "delete from projection.message_current where key_id % 2 = 0")
    assert imported("verify", "--all").code == 1
    rows = imported.rows("rebuild", "wordcount_pv")
    assert {row["stream_name"]: bool(row["missing"]) for row in rows} == {COORDINATOR: True, CHECKPOINT: False}
    assert {(row["extra"], row["different"]) for row in rows} == {(0, 0)}
    imported.done("verify", "--all")
    assert imported.rows("config", "show", "wordcount_pv") == config


def test_dropped_tables_are_rebuilt_from_the_archive(imported: CommandLine) -> None:
    config = imported.rows("config", "show", "wordcount_pv")
    damage(imported, "drop schema projection cascade")
    imported("db", "migrate")
    assert len(imported.rows("rebuild", "--all")) == 2
    imported.done("verify", "--all")
    assert imported.rows("config", "show", "wordcount_pv") == config
    imported.done("import", *RECORDING_A)


def test_an_unknown_job_changes_nothing(imported: CommandLine) -> None:
    damage(imported, "truncate projection.job_log, projection.position cascade")
    assert "x" in imported.refused("rebuild", "x")
    assert imported.ask("select count(*) from projection.position") == [(0,)]


def test_rows_of_an_older_fold_version_are_rebuilt(imported: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "CODE_VERSION", settings.CODE_VERSION + 1)
    assert "`coordstream rebuild --all`" in imported.refused("import", *RECORDING_A)
    imported.done("rebuild", "--all")
    imported.done("import", *RECORDING_A)
    imported.done("verify", "--all")


def test_a_log_that_another_session_rebuilds_is_left_alone(
    imported: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rebuild, "LOCK_TIMEOUT", "set local lock_timeout = '10ms'")
    with connect(imported.database_url) as other, other.transaction():
        other.execute("select from projection.position for update")
        finished = imported("rebuild", "wordcount_pv")
    assert finished.code == 1
    assert finished.err.count("another session is rebuilding or writing it. Try again later.\n") == 2
    imported.done("verify", "--all")


def test_what_the_archive_lost_is_not_deleted(imported: CommandLine) -> None:
    commits = imported.ask("select count(*) from coordinator.commit_history")
    damage(imported, "alter table eventlog.event detach partition eventlog.event_from_0")
    finished = imported("rebuild", "--all")
    assert finished.code == 1
    assert finished.err.count("Restore the schema eventlog from a backup") == 2
    assert imported.ask("select count(*) from coordinator.commit_history") == commits


FULL_DISK = """
create function fail() returns trigger language plpgsql as $$ begin
  raise exception using errcode = 'disk_full', message = 'could not extend file: No space left on device';
end $$;
create trigger fail before insert on projection.message_event for each row execute function fail();
delete from projection.message_event;
delete from projection.checkpoint_event
"""


def test_an_error_of_the_database_ends_the_rebuild_of_one_log(imported: CommandLine) -> None:
    damage(imported, FULL_DISK)
    finished = imported("rebuild", "--all", "--json")
    assert finished.code == 1
    reason = "The database reports: could not extend file: No space left on device.\n"
    assert finished.err == f"Cannot rebuild {COORDINATOR}. {reason}"
    (row,) = json.loads(finished.out)
    assert row["stream_name"] == CHECKPOINT
    assert row["missing"] > 0


def test_a_lost_earlier_incarnation_does_not_become_current(cli: CommandLine, tmp_path: Path) -> None:
    for value in ("1", "2"):
        cli.done("import", recording(tmp_path / "r.jsonl", recorded([config_set("a", value)])))
    before = cli.ask("table projection.job_log order by log_id")
    assert len(before) == 2
    damage(cli, "delete from projection.job_log where incarnation = 1")
    cli.done("rebuild", "--all")
    assert cli.ask("table projection.job_log order by log_id") == before


def test_only_the_archive_and_kafka_can_be_rebuilt_from(cli: CommandLine) -> None:
    refusal = cli.refused("rebuild", "--all", "--from", "tape", code=2)
    assert refusal.startswith("Invalid value for '--from': 'tape' is not one of 'archive', 'kafka'. See ")


@pytest.mark.parametrize("words", [(), ("wordcount_pv", "--all")], ids=["neither", "both"])
def test_jobs_or_all_of_them(imported: CommandLine, words: tuple[str, ...]) -> None:
    assert "or use '--all'" in imported.refused("rebuild", *words, code=2)
