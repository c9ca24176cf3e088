"""`coordstream verify` names tables that differ from the log; `coordstream rebuild` repairs them."""

import json
from typing import Final

import pytest

from eventlog.postgres.connection import connect
from projections import rebuild
from tests.fixtures.coordstream.command_line import CHECKPOINT, COORDINATOR, RECORDING_A, CommandLine

DAMAGE: Final = "update projection.config set host = 'elsewhere'"


@pytest.fixture
def imported(cli: CommandLine) -> CommandLine:
    cli.done("import", *RECORDING_A)
    return cli


def change(cli: CommandLine, statement: str) -> None:
    with connect(cli.database_url) as connection:
        connection.execute(statement.encode())


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
    change(imported, damage)
    assert "Run `coordstream rebuild --all`." in imported.refused("verify", "--all")
    imported.done("rebuild", "--all")
    imported.done("verify", "--all")
    assert imported.ask("table projection.job_log order by log_id") == before


@pytest.mark.parametrize(
    "damage", ["is_current = false", "is_complete = false", "job_suffix = 'x'", "job_bucket = 5", "incarnation = 2"]
)
def test_a_damaged_entry_of_a_log_is_named(imported: CommandLine, damage: str) -> None:
    before = imported.ask("table projection.job_log order by log_id")
    change(imported, f"update projection.job_log set {damage} where stream_kind = 'checkpoint'")
    finished = imported("verify", "--all", "--json")
    assert finished.code == 1
    assert (CHECKPOINT, "job_log") in {
        (row["stream_name"], row["relation"]) for row in finished.json if row["different"]
    }
    imported.done("rebuild", "--all")
    imported.done("verify", "--all")
    assert imported.ask("table projection.job_log order by log_id") == before


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


FULL_DISK = """
create function fail() returns trigger language plpgsql as $$ begin
  raise exception using errcode = 'disk_full', message = 'could not extend file: No space left on device';
end $$;
create trigger fail before insert on projection.message_event for each row execute function fail();
delete from projection.message_event;
delete from projection.checkpoint_event
"""


def test_an_error_of_the_database_ends_the_rebuild_of_one_log(imported: CommandLine) -> None:
    change(imported, FULL_DISK)
    finished = imported("rebuild", "--all", "--json")
    assert finished.code == 1
    reason = "The database reports: could not extend file: No space left on device.\n"
    assert finished.err == f"Cannot rebuild {COORDINATOR}. {reason}"
    (row,) = json.loads(finished.out)
    assert row["stream_name"] == CHECKPOINT
    assert row["missing"] > 0
