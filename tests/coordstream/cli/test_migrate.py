import pytest

from tests.coordstream.command_line import CHECKPOINT, COORDINATOR, RECORDING_A, CommandLine
from tests.fixtures.database_users import database_user

pytestmark = pytest.mark.slow


@pytest.fixture
def empty(cli: CommandLine, monkeypatch: pytest.MonkeyPatch, empty_database_url: str) -> CommandLine:
    """The command line on a database with nothing in it."""
    monkeypatch.setenv("COORDSTREAM_DATABASE_URL", empty_database_url)
    cli.database_url = empty_database_url
    return cli


@pytest.mark.parametrize("words", [["migrate"], ["migrate", "upgrade"]])
def test_a_database_is_migrated_once(empty: CommandLine, words: list[str]) -> None:
    assert empty.rows("migrate", "current") == [{"revision": None, "state": "empty"}]
    assert empty.done("migrate", "current") == "No coordstream schema in this database. Run `coordstream migrate`.\n"
    assert empty.done(*words).endswith(": migrated.\n")
    (row,) = empty.rows("migrate", "current")
    assert row["state"] == "current"
    assert empty.done(*words) == f"Schema {row['revision']}: already up to date.\n"
    assert empty.done("migrate", "current") == f"Schema {row['revision']}: current.\n"


def test_a_dropped_projection_is_re_created_and_rebuilt(wordcount: CommandLine) -> None:
    before = wordcount.rows("status")
    with wordcount.connection() as connection:
        connection.execute("drop schema projection cascade")
    assert "are missing. Run `coordstream migrate`." in wordcount.refused("job", "list")
    to_rebuild = f"2 streams have to be rebuilt from the archive ({CHECKPOINT}, {COORDINATOR}). Run `coordstream reb"
    migrated = wordcount("migrate")
    assert migrated.code == 0
    assert "Tables of the schema projection were missing; it was re-created empty. " + to_rebuild in migrated.err
    assert migrated.out.endswith(": migrated.\n")
    finished = wordcount("status")
    assert (finished.code, to_rebuild in finished.err) == (1, True)
    listed = wordcount("config", "show", "wordcount_pv")
    assert to_rebuild in listed.err
    assert "Run `coordstream rebuild --all`" in wordcount("import", *RECORDING_A).err
    assert [row["event_count"] for row in wordcount.rows("rebuild", "--all")] == [388, 427]
    after = wordcount.rows("status")
    assert [row["next_offset"] for row in after] == [row["next_offset"] for row in before]
    assert wordcount.rows("config", "show", "wordcount_pv")
    assert [row["skipped"] for row in wordcount.rows("import", *RECORDING_A)] == [427, 388]


def test_a_writer_gets_no_message_about_a_rebuild(appendable: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    with database_user(appendable.database_url, "coordstream_writer") as writer:
        monkeypatch.setenv("COORDSTREAM_DATABASE_URL", writer)
        appendable.done("log", "append", COORDINATOR, "--key", "a key", "--tombstone")
