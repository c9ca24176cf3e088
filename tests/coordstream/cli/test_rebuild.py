"""`coordstream rebuild`: repairs what `verify` finds."""

import json

import pytest

from eventlog.postgres.connection import connect
from projections import rebuild
from projections.fold import settings
from tests.coordstream.command_line import CHECKPOINT, COORDINATOR, RECORDING_A, CommandLine


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
