"""`coordstream backup`, `restore` and `reset` on a recorded job in an embedded server."""

import stat
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

import psycopg
import pytest

from coordstream.backup import back_up
from coordstream.migrate import upgrade
from coordstream.postgres import EmbeddedPostgres
from tests.coordstream.command_line import CHECKPOINT, MASK_KEY, RECORDING_A, CommandLine, in_own_process

pytestmark = pytest.mark.slow

VIEWS = "select viewname from pg_views where schemaname = 'coordinator' order by 1"
DIGEST = "select count(*), md5(string_agg(r::text, chr(10) order by r::text)) from coordinator.{} r"


def relations(url: str) -> dict[str, tuple[int, str]]:
    """The number of rows of every relation, and a digest of them."""
    with psycopg.connect(url) as connection:
        views = [name for (name,) in connection.execute(VIEWS).fetchall()]
        return {name: connection.execute(DIGEST.format(name).encode()).fetchall()[0] for name in views}


def test_relations_are_equal_after_a_restore(cli: CommandLine, home: Path, tmp_path: Path) -> None:
    file = tmp_path / "a.backup"
    cli.done("import", *RECORDING_A)
    up = cli("up", "--json").json
    before = relations(up["database_url"])
    assert before["event"][0] == 815

    assert cli("backup", file, "--json").json == {"file": str(file), "bytes": file.stat().st_size}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert list(tmp_path.glob(".a.backup*")) == []
    assert cli.refused("restore", file).startswith("The embedded database is not empty. Run `coordstream reset` first")
    assert relations(up["database_url"]) == before

    with psycopg.connect(up["database_url"]) as other:
        other.execute("create role alice login")
        other.commit()
        assert cli.done("reset", "--yes") == f"The embedded database in {home} is empty.\n"
    emptied = relations(up["database_url"])
    assert {count for count, _ in emptied.values()} == {0}
    assert emptied.keys() == before.keys()

    assert cli.done("restore", file) == f"Restored 2 streams from {file}.\n"
    assert relations(up["database_url"]) == before
    with psycopg.connect(up["database_url"]) as connection:
        names = connection.execute("select datname from pg_database where not datistemplate order by 1").fetchall()
        assert names == [("coordstream",), ("postgres",)]
        assert connection.execute("select from pg_roles where rolname = 'alice'").fetchall() == [()]
    assert ": 0 new events" in cli.done("import", *RECORDING_A)


def test_streams_that_another_command_adds_during_a_restore_are_kept(
    cli: CommandLine, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.done("import", RECORDING_A[0])
    cli("backup", tmp_path / "a.backup")
    cli("reset", "--yes")
    url = cli("up", "--json").json["database_url"]

    def import_meanwhile(new_url: str) -> object:
        assert in_own_process("import", str(RECORDING_A[1]), COORDSTREAM_HOME=str(home)).code == 0
        return upgrade(new_url)

    monkeypatch.setattr("coordstream.backup.upgrade", import_meanwhile)
    assert cli.refused("restore", tmp_path / "a.backup").startswith("The embedded database is not empty. ")
    with psycopg.connect(url) as connection:
        streams = connection.execute("select stream_name from eventlog.log").fetchall()
        assert streams == [(CHECKPOINT,)]
        assert connection.execute("select from pg_database where datname like 'coordstream_%'").fetchall() == []


def test_clients_that_connect_again_at_once_do_not_keep_a_database(cli: CommandLine, home: Path) -> None:
    url = cli("up", "--json").json["database_url"]
    is_over = Event()

    def connect_again() -> None:
        while not is_over.is_set():
            with suppress(psycopg.Error), psycopg.connect(url) as connection:
                while not is_over.wait(0.01):
                    connection.execute("select")

    clients = [Thread(target=connect_again) for _ in range(4)]
    for client in clients:
        client.start()
    try:
        assert cli.done("reset", "--yes") == f"The embedded database in {home} is empty.\n"
    finally:
        is_over.set()
        for client in clients:
            client.join()


def test_a_damaged_backup_leaves_the_database_as_it_was(cli: CommandLine, home: Path, tmp_path: Path) -> None:
    file = tmp_path / "a.backup"
    cli.done("import", *RECORDING_A)
    cli("backup", file)
    whole = file.read_bytes()
    cli("reset", "--yes")
    file.write_bytes(whole[: len(whole) * 9 // 10])
    url = cli("up", "--json").json["database_url"]
    before = relations(url)
    for end in (len(whole) * 9 // 10, len(whole) // 3):
        file.write_bytes(whole[:end])
        sentence = cli.refused("restore", file)
        assert "pg_restore failed: " in sentence or "it is damaged" in sentence
        assert relations(url) == before
    file.write_bytes(whole)
    assert "Restored 2 streams" in cli.done("restore", file)


def test_a_backup_with_other_relations_is_migrated(cli: CommandLine, home: Path, tmp_path: Path) -> None:
    cli.done("import", *RECORDING_A)
    with cli.connection() as connection:
        connection.execute("comment on schema coordinator is 'relations 0000000000000000'")
    back_up(EmbeddedPostgres(home), tmp_path / "old.backup")
    cli("reset", "--yes")
    assert cli("restore", tmp_path / "old.backup").code == 0
    assert cli("migrate", "current", "--json").json[0]["state"] == "current"
    assert len(cli.rows("status")) == 2


def test_another_masking_key_is_reported(
    cli: CommandLine, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.done("import", *RECORDING_A)
    cli("backup", tmp_path / "a.backup")
    cli("reset", "--yes")
    monkeypatch.setenv("COORDSTREAM_MASK_KEY", f"not {MASK_KEY}")
    restored = cli("restore", tmp_path / "a.backup")
    assert restored.code == 0
    assert restored.err.startswith("The backup was made with another masking key: copy the original mask.key to ")


def test_only_the_data_of_an_embedded_server_is_backed_up_and_reset(
    cli: CommandLine, home: Path, tmp_path: Path
) -> None:
    taken = tmp_path / "taken"
    taken.touch()
    for words in (["backup", tmp_path / "new"], ["reset", "--yes"]):
        assert cli.refused(*words).startswith(f"There is no embedded Postgres in {home}. ")
    cli("up")
    assert cli.refused("backup", taken) == f"File '{taken}' already exists. Name a new file."
    assert cli.refused("backup", "/nowhere/file") == "Folder '/nowhere' does not exist. Create it first."
    assert cli.refused("restore", "/nowhere/file") == (
        "File '/nowhere/file' does not exist. Name a file that `coordstream backup` wrote."
    )
    assert "is not a backup written by `coordstream backup`" in cli.refused("restore", taken)
    assert cli.refused("backup", "-") == "A backup cannot be written to standard output. Name a new file."
    assert cli.refused("restore", tmp_path) == (
        f"'{tmp_path}' is a folder. Name a file that `coordstream backup` wrote."
    )
    assert cli.refused("reset") == "Nothing was deleted: confirmation needs a terminal. Use --yes to go on."


@pytest.mark.parametrize("words", [("backup", "file"), ("restore", "file"), ("reset", "--yes")])
def test_another_database_is_left_to_its_own_tools(cli: CommandLine, words: tuple[str, ...]) -> None:
    refused = cli.refused(*words)
    assert refused.startswith("COORDSTREAM_DATABASE_URL is set, so the embedded Postgres is not used. ")
    assert ("pg_dump" in refused) is (words[0] != "reset")
