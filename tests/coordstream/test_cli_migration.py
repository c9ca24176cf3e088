import pytest

from tests.coordstream.command_line import RECORDING_A, CommandLine

pytestmark = pytest.mark.slow


@pytest.fixture
def empty(cli: CommandLine, monkeypatch: pytest.MonkeyPatch, empty_database_url: str) -> CommandLine:
    """The command line on a database with nothing in it."""
    monkeypatch.setenv("COORDSTREAM_DATABASE_URL", empty_database_url)
    cli.database_url = empty_database_url
    return cli


@pytest.mark.parametrize("words", [["migrate"], ["migrate", "upgrade"]])
def test_a_database_is_brought_up_to_date_once(empty: CommandLine, words: list[str]) -> None:
    assert empty.rows("migrate", "current") == [{"revision": None, "state": "empty"}]
    assert empty.done(*words).endswith(": migrated\n")
    (row,) = empty.rows("migrate", "current")
    assert row["state"] == "current"
    assert empty.done(*words) == f"schema {row['revision']}: was up to date\n"
    assert empty.done("migrate", "current") == f"schema {row['revision']}: current\n"


def test_a_database_without_events_goes_back_and_forth(cli: CommandLine) -> None:
    assert cli.done("migrate", "downgrade", "base") == "schema None: taken back\n"
    assert cli.rows("migrate", "current") == [{"revision": None, "state": "empty"}]
    cli.done("migrate")
    assert cli.rows("status") == []


def test_events_are_dropped_on_demand_only(wordcount: CommandLine) -> None:
    assert "the archive holds events" in wordcount.refused("migrate", "downgrade", "base")
    assert wordcount.ask("select count(*) from eventlog.event") == [(815,)]
    wordcount.done("migrate", "downgrade", "base", "--yes")
    wordcount.done("migrate")
    wordcount.done("import", *RECORDING_A)


def test_an_unknown_revision_is_refused(cli: CommandLine) -> None:
    assert "nope" in cli.refused("migrate", "downgrade", "nope")
    assert cli.rows("migrate", "current")[0]["state"] == "current"
