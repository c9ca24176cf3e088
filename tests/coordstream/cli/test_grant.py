from collections.abc import Iterator

import psycopg
import pytest

from eventlog.events import NewEvent
from eventlog.postgres.log import PostgresEventLog
from tests.coordstream.command_line import COORDINATOR, CommandLine
from tests.fixtures.database_users import database_user, user_of

pytestmark = pytest.mark.slow

COUNTS = "__samza_coordinator_counts_1"


@pytest.fixture
def ann(cli: CommandLine) -> Iterator[str]:
    """The URL of a user without any role."""
    with database_user(cli.database_url) as url:
        yield url


def can_select(url: str, table: str) -> bool:
    with psycopg.connect(url) as connection:
        try:
            connection.execute(f"select from {table} limit 1".encode())
        except psycopg.errors.InsufficientPrivilege:
            return False
    return True


def test_a_reader_is_granted_and_revoked(cli: CommandLine, ann: str) -> None:
    user = user_of(ann)
    assert not can_select(ann, "coordinator.config")
    assert cli.done("grant", "reader", user) == f"{user} is now a reader (coordstream_reader).\n"
    assert (can_select(ann, "coordinator.config"), can_select(ann, "eventlog.event")) == (True, False)
    assert cli.done("grant", "reader", user) == f"{user} is already a reader (coordstream_reader).\n"
    assert cli.done("grant", "--revoke", "reader", user) == f"{user} is no longer a reader (coordstream_reader).\n"
    assert not can_select(ann, "coordinator.config")
    assert cli.done("grant", "--revoke", "reader", user) == f"{user} is not a reader (coordstream_reader).\n"


def test_a_replayer_reads_the_bytes_too(cli: CommandLine, ann: str) -> None:
    granted = cli.rows("grant", "replayer", user_of(ann))
    assert granted == [{"user": user_of(ann), "role": "coordstream_replayer", "is_granted": True, "is_changed": True}]
    assert can_select(ann, "coordinator.config")
    assert can_select(ann, "eventlog.event")


def test_a_writer_appends_from_the_command_line(cli: CommandLine, ann: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.done("log", "create", COUNTS)
    cli.done("grant", "writer", user_of(ann))
    with monkeypatch.context() as as_writer:
        as_writer.setenv("COORDSTREAM_DATABASE_URL", ann)
        cli.done("log", "append", COUNTS, "--key", "k", "--value", "v")
        assert "permission denied" in cli.refused("log", "create", "__samza_coordinator_other_1")
        refused = cli.follow(COUNTS, "--once")
        assert refused.code == 1
        assert "permission denied" in refused.err
        assert "permission denied" in cli.refused("config", "show", "counts")
    with PostgresEventLog(cli.database_url, COUNTS) as log:
        assert [NewEvent(event.key, event.value) for event in log.read()] == [NewEvent(b"k", b"v")]


def test_a_reader_uses_the_command_line(wordcount: CommandLine, ann: str, monkeypatch: pytest.MonkeyPatch) -> None:
    wordcount.done("grant", "reader", user_of(ann))
    questions = (
        ("config", "show", "wordcount_pv"),
        ("config", "history", "wordcount_pv"),
        ("checkpoint", "show", "wordcount_pv"),
        ("checkpoint", "show", "wordcount_pv", "--as-of-offset", "100"),
        ("startpoint", "show", "wordcount_pv"),
        ("quarantine",),
        ("log", "show"),
    )
    owners = [wordcount.done(*question, "--json") for question in questions]
    monkeypatch.setenv("COORDSTREAM_DATABASE_URL", ann)
    assert [wordcount.done(*question, "--json") for question in questions] == owners
    assert {row["backend"] for row in wordcount.rows("status")} == {"recording"}
    for command in (
        ("export", COORDINATOR),
        ("log", "show", COORDINATOR),
        ("log", "tail", COORDINATOR),
        ("log", "tail", COORDINATOR, "--follow"),
        ("verify", "--all"),
        ("rebuild", "--all"),
    ):
        refusal = wordcount.refused(*command)
        assert "permission denied for schema eventlog. Connect as the database's owner, or as a user with" in refusal


def test_a_reader_learns_that_the_relations_are_outdated(
    cli: CommandLine, ann: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.done("grant", "reader", user_of(ann))
    with cli.connection() as owner:
        owner.execute("comment on schema coordinator is 'relations 0000000000000000'")
    monkeypatch.setenv("COORDSTREAM_DATABASE_URL", ann)
    assert cli.refused("config", "show", "x") == (
        "The database schema is that of another version of coordstream. Install that version, or ask the database's "
        "owner to run `coordstream migrate`."
    )


def test_an_unknown_role_is_invalid_usage(cli: CommandLine, ann: str) -> None:
    assert "reader" in cli.refused("grant", "king", user_of(ann), code=2)


def test_an_unknown_user_is_refused(cli: CommandLine) -> None:
    for words in ((), ("--revoke",)):
        refused = cli.refused("grant", "reader", 'no"body', *words)
        assert refused == (
            'No database user \'no"body\'. Correct the name, or create the user (`create role "no""body" login`).'
        )


def test_a_role_without_login_is_refused(cli: CommandLine) -> None:
    assert "cannot log in. Name a user" in cli.refused("grant", "reader", "coordstream_writer")


def test_a_user_without_the_right_to_grant_is_refused(
    cli: CommandLine, ann: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = user_of(ann)
    cli.done("grant", "replayer", user)
    monkeypatch.setenv("COORDSTREAM_DATABASE_URL", ann)
    refused = cli.refused("grant", "reader", user)
    assert refused == (
        "Permission denied to grant or revoke coordstream_reader. Ask an administrator to run "
        f'`grant "coordstream_reader" to "{user}"`.'
    )
    assert 'run `revoke "coordstream_replayer" from' in cli.refused("grant", "--revoke", "replayer", user)


def test_a_role_granted_by_another_user_stays(cli: CommandLine, ann: str) -> None:
    user = user_of(ann)
    with database_user(cli.database_url) as bob, cli.connection() as admin:
        admin.autocommit = True
        admin.execute(f"grant coordstream_reader to {user_of(bob)} with admin option".encode())
        with psycopg.connect(bob) as giver:
            giver.execute(f"grant coordstream_reader to {user}".encode())
        refused = cli.refused("grant", "--revoke", "reader", user)
        assert refused == (
            f"User {user!r} was granted coordstream_reader by {user_of(bob)}, who has to revoke it (or a superuser)."
        )
        with psycopg.connect(bob) as giver:
            giver.execute(f"revoke coordstream_reader from {user}".encode())
