"""`coordstream db`: backups of an embedded server, the schema, and the rights of users."""

import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from sqlalchemy.engine import make_url

from coordstream.migrate import upgrade
from eventlog.events import NewEvent
from eventlog.postgres.log import PostgresEventLog
from tests.fixtures.coordstream.command_line import CHECKPOINT, COORDINATOR, RECORDING_A, CommandLine, in_own_process
from tests.fixtures.database_users import can_select, database_user, user_of
from tests.fixtures.postgres_server import chosen_bin_folder
from tests.postgres.migrations.schema_dump import schema_of

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

    assert cli("db", "backup", file, "--json").json == {"file": str(file), "bytes": file.stat().st_size}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert list(tmp_path.glob(".a.backup*")) == []
    assert cli.refused("db", "restore", file).startswith(
        "The embedded database is not empty. Run `coordstream db reset` first"
    )
    assert relations(up["database_url"]) == before

    with psycopg.connect(up["database_url"]) as other:
        other.execute("create role alice login")
        other.commit()
        assert cli.done("db", "reset", "--yes") == f"The embedded database in {home} is empty.\n"
    emptied = relations(up["database_url"])
    assert {count for count, _ in emptied.values()} == {0}
    assert emptied.keys() == before.keys()

    assert cli.done("db", "restore", file) == f"Restored 2 streams from {file}.\n"
    assert relations(up["database_url"]) == before
    with psycopg.connect(up["database_url"]) as connection:
        names = connection.execute("select datname from pg_database where not datistemplate order by 1").fetchall()
        assert names == [("coordstream",), ("postgres",)]
        assert connection.execute("select from pg_roles where rolname = 'alice'").fetchall() == [()]
    assert ": 0 new events" in cli.done("import", *RECORDING_A)
    cli.done("db", "reset", "--yes")
    restored = in_own_process("db", "restore", str(file), COORDSTREAM_HOME=str(home), COORDSTREAM_MASK_KEY="another")
    assert "The mask key or the secret patterns have changed" in restored.err


def test_streams_that_another_command_adds_during_a_restore_are_kept(
    cli: CommandLine, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.done("import", RECORDING_A[0])
    cli("db", "backup", tmp_path / "a.backup")
    cli("db", "reset", "--yes")
    url = cli("up", "--json").json["database_url"]

    def import_meanwhile(new_url: str) -> object:
        assert in_own_process("import", str(RECORDING_A[1]), COORDSTREAM_HOME=str(home)).code == 0
        return upgrade(new_url)

    monkeypatch.setattr("coordstream.backup.upgrade", import_meanwhile)
    assert cli.refused("db", "restore", tmp_path / "a.backup").startswith("The embedded database is not empty. ")
    with psycopg.connect(url) as connection:
        streams = connection.execute("select stream_name from eventlog.log").fetchall()
        assert streams == [(CHECKPOINT,)]
        assert connection.execute("select from pg_database where datname like 'coordstream_%'").fetchall() == []


def test_a_damaged_backup_leaves_the_database_as_it_was(cli: CommandLine, home: Path, tmp_path: Path) -> None:
    file = tmp_path / "a.backup"
    cli.done("import", *RECORDING_A)
    cli("db", "backup", file)
    whole = file.read_bytes()
    cli("db", "reset", "--yes")
    file.write_bytes(whole[: len(whole) * 9 // 10])
    url = cli("up", "--json").json["database_url"]
    before = relations(url)
    for end in (len(whole) * 9 // 10, len(whole) // 3):
        file.write_bytes(whole[:end])
        sentence = cli.refused("db", "restore", file)
        assert "pg_restore failed: " in sentence or "it is damaged" in sentence
        assert relations(url) == before
    file.write_bytes(whole)
    assert "Restored 2 streams" in cli.done("db", "restore", file)


def test_only_the_data_of_an_embedded_server_is_backed_up_and_reset(
    cli: CommandLine, home: Path, tmp_path: Path
) -> None:
    taken = tmp_path / "taken"
    taken.touch()
    for absent in (("backup", tmp_path / "new"), ("reset", "--yes")):
        assert cli.refused("db", *absent).startswith(f"There is no embedded Postgres in {home}. ")
    cli("up")
    for words, reason in (
        (("backup", taken), "already exists"),
        (("backup", "/nowhere/file"), "Cannot write /nowhere/file: No such file"),
        (("restore", "/nowhere/file"), "no such file or directory"),
        (("restore", taken), "is not a backup written by `coordstream db backup`"),
        (("restore", tmp_path), "is a directory"),
        (("reset",), "confirmation needs a terminal"),
    ):
        assert reason in cli.refused("db", *words), words


COUNTS = "__samza_coordinator_counts_1"


@pytest.fixture
def ann(cli: CommandLine) -> Iterator[str]:
    """The URL of a user without any role."""
    with database_user(cli.database_url) as url:
        yield url


def test_a_reader_is_granted(cli: CommandLine, ann: str) -> None:
    user = user_of(ann)
    assert not can_select(ann, "coordinator.config")
    assert cli.done("db", "grant", "reader", user) == f"{user} is now a reader (coordstream_reader).\n"
    assert (can_select(ann, "coordinator.config"), can_select(ann, "eventlog.event")) == (True, False)
    assert cli.done("db", "grant", "reader", user) == f"{user} is already a reader (coordstream_reader).\n"


def rights_in(schema: str) -> list[str]:
    """The statements of a dump that grant and revoke."""
    return [line for line in schema.splitlines() if line.startswith(("GRANT", "REVOKE", "ALTER DEFAULT"))]


def test_rights_that_a_restore_left_out_are_granted_again(
    cli: CommandLine, ann: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user, rights = user_of(ann), rights_in(schema_of(cli.database_url))
    assert len(rights) > 100
    cli.done("db", "grant", "reader", user)
    options = ["--no-owner", "--no-acl"]
    file = tmp_path / "dump"
    subprocess.run([chosen_bin_folder() / "pg_dump", "-Fc", *options, "-f", file, "-d", cli.database_url], check=True)
    with cli.connection() as admin:
        admin.autocommit = True
        admin.execute("create database restored template template0")
    try:
        url, anns = (make_url(of).set(database="restored").render_as_string(False) for of in (cli.database_url, ann))
        subprocess.run([chosen_bin_folder() / "pg_restore", *options, "-d", url, file], check=True)
        monkeypatch.setenv("COORDSTREAM_DATABASE_URL", url)
        assert not can_select(anns, "coordinator.config")
        assert cli.done("db", "grant", "reader", user) == f"{user} is now a reader (coordstream_reader).\n"
        assert can_select(anns, "coordinator.config")
        assert rights_in(schema_of(url)) == rights
        assert cli.done("db", "grant", "reader", user) == f"{user} is already a reader (coordstream_reader).\n"
    finally:
        with cli.connection() as admin:
            admin.autocommit = True
            admin.execute("drop database restored with (force)")


def test_a_replayer_reads_the_bytes_too(cli: CommandLine, ann: str) -> None:
    granted = cli.rows("db", "grant", "replayer", user_of(ann))
    assert granted == [{"user": user_of(ann), "role": "coordstream_replayer", "is_changed": True}]
    assert can_select(ann, "coordinator.config")
    assert can_select(ann, "eventlog.event")


def test_a_writer_appends_from_the_command_line(cli: CommandLine, ann: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.done("log", "create", COUNTS)
    cli.done("db", "grant", "writer", user_of(ann))
    with monkeypatch.context() as as_writer:
        as_writer.setenv("COORDSTREAM_DATABASE_URL", ann)
        cli.done("log", "append", COUNTS, "--key", "k", "--value", "v")
        assert "permission denied" in cli.refused("log", "create", "__samza_coordinator_other_1")
        refused = cli("follow", COUNTS, "--once")
        assert refused.code == 1
        assert "permission denied" in refused.err
        assert "permission denied" in cli.refused("config", "show", "counts")
    with PostgresEventLog(cli.database_url, COUNTS) as log:
        assert [NewEvent(event.key, event.value) for event in log.read()] == [NewEvent(b"k", b"v")]


def test_a_reader_uses_the_command_line(wordcount: CommandLine, ann: str, monkeypatch: pytest.MonkeyPatch) -> None:
    wordcount.done("db", "grant", "reader", user_of(ann))
    questions = (
        ("config", "show", "wordcount_pv"),
        ("config", "history", "wordcount_pv"),
        ("checkpoint", "show", "wordcount_pv"),
        ("checkpoint", "show", "wordcount_pv", "--as-of", "2026-11-21T09:18:00Z"),
        ("startpoint", "show", "wordcount_pv"),
        ("quarantine",),
    )
    owners = [wordcount.done(*question, "--json") for question in questions]
    monkeypatch.setenv("COORDSTREAM_DATABASE_URL", ann)
    assert [wordcount.done(*question, "--json") for question in questions] == owners
    assert {row["backend"] for row in wordcount.rows("status")} == {"recording"}
    for command in (
        ("export", COORDINATOR),
        ("log", "show", COORDINATOR),
        ("log", "show", COORDINATOR, "--follow"),
        ("verify", "--all"),
        ("rebuild", "--all"),
    ):
        refusal = wordcount.refused(*command)
        assert "permission denied for schema eventlog. Connect as the database's owner, or as a user with" in refusal


def test_a_reader_learns_that_the_relations_are_outdated(
    cli: CommandLine, ann: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.done("db", "grant", "reader", user_of(ann))
    with cli.connection() as owner:
        owner.execute("comment on schema coordinator is 'relations 0000000000000000'")
    monkeypatch.setenv("COORDSTREAM_DATABASE_URL", ann)
    assert cli.refused("config", "show", "x") == (
        "The database schema is that of another version of coordstream. Install that version, or ask the database's "
        "owner to run `coordstream db migrate`."
    )
