from pathlib import Path
from typing import Any, Final

import pytest

from eventlog.errors import WireError
from eventlog.events import RecordedEvent
from eventlog.postgres.connection import connect
from eventlog.postgres.log_registry import hold_archive
from projections import rebuild
from projections.fold import batch, settings
from projections.stream_lock import stream_lock
from tests.builders import changelog_set, config_set, raw, recorded
from tests.coordstream.command_line import CommandLine, recording

STREAM: Final = "__samza_coordinator_counts_1"
EVENTS: Final = recorded([config_set("job.name", "counts"), changelog_set("Partition 0", 3), raw(b"no key", b"x")])


@pytest.fixture
def older(cli: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """The command line on a database of an older program that cannot decode changelog mappings."""

    def refuse(*_: object) -> Any:
        raise WireError("wrong_type", "it came with a later version")

    with monkeypatch.context() as patch:
        patch.setattr(batch, "decode_message", refuse)
        patch.setattr(settings, "CODE_VERSION", settings.CODE_VERSION - 1)
        cli.done("import", recording(tmp_path / "r.jsonl", EVENTS))
    return cli


def outcome(row: dict[str, Any]) -> tuple[int, int, int | None, str]:
    return row["tried_count"], row["understood_count"], row["folded_count"], row["outcome"]


def mappings(cli: CommandLine) -> list[tuple[Any, ...]]:
    return cli.ask("select task_name, changelog_partition from coordinator.changelog_mapping")


def test_a_log_is_rebuilt_when_an_event_can_be_decoded(older: CommandLine, tmp_path: Path) -> None:
    assert mappings(older) == []
    more = recording(tmp_path / "more.jsonl", [*EVENTS, RecordedEvent(7, 1, 0, b"k", b"v")])
    assert "coordstream rebuild --all" in older.refused("import", more)
    (row,) = older.rows("quarantine", "retry")
    assert (row["job_name"], row["stream_name"], row["incarnation"]) == ("counts", STREAM, 1)
    assert outcome(row) == (
        2,
        1,
        3,
        "rebuilt",
    )
    assert mappings(older) == [("Partition 0", 3)]
    assert [event["log_offset"] for event in older.rows("quarantine", "show")] == [2]
    older.done("import", more)


@pytest.mark.usefixtures("narrow")
def test_nothing_changes_when_no_event_can_be_decoded(older: CommandLine) -> None:
    older.done("quarantine", "retry", "counts")
    before = older.ask("select xmin::text, * from projection.position")
    (row,) = older.rows("quarantine", "retry", "counts")
    assert outcome(row) == (
        1,
        0,
        None,
        "unchanged",
    )
    assert older.ask("select xmin::text, * from projection.position") == before
    printed = older.done("quarantine", "retry")
    assert "unchanged" in printed
    assert max(map(len, printed.splitlines())) <= 80


def test_a_log_that_is_being_followed_is_busy(older: CommandLine) -> None:
    with connect(older.database_url, application_name="a follower") as follower, stream_lock(follower, STREAM):
        finished = older("quarantine", "retry", "--json")
    assert (finished.code, finished.json[0]["outcome"]) == (1, "busy")
    assert finished.err.startswith(f"{STREAM} is being read by a follower on ")
    assert finished.err.endswith("Wait until that ends, or stop it.\n")
    assert mappings(older) == []


def test_a_log_that_cannot_be_rebuilt_does_not_hide_the_others(older: CommandLine, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(settings, "CODE_VERSION", settings.CODE_VERSION - 1)
        others = recorded([config_set("job.name", "orders")])
        older.done("import", recording(tmp_path / "s.jsonl", others, "__samza_coordinator_orders_1"))
    with connect(older.database_url) as other, other.transaction(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(rebuild, "LOCK_TIMEOUT", "set local lock_timeout = '10ms'")
        hold_archive(other, STREAM)
        finished = older("quarantine", "retry", "--json")
    assert [(row["job_name"], row["outcome"]) for row in finished.json] == [("counts", "failed"), ("orders", "rebuilt")]
    assert (finished.code, finished.err) == (
        1,
        f"Cannot rebuild {STREAM}: another session is rebuilding or writing it. Try again later.\n",
    )
    assert mappings(older) == []


def test_another_job_is_left_alone(older: CommandLine, tmp_path: Path) -> None:
    others = recorded([config_set("job.name", "orders")])
    older.done("import", recording(tmp_path / "s.jsonl", others, "__samza_coordinator_orders_1"))
    assert older.rows("quarantine", "retry", "orders/1") == []
    assert mappings(older) == []
    assert 'No job "nope".' in older.refused("quarantine", "retry", "nope")
    assert older.done("quarantine", "retry", "orders/1").endswith("none\n")


def test_another_masking_key_is_refused(older: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COORDSTREAM_MASK_KEY", "another")
    assert "restore COORDSTREAM_MASK_KEY" in older.refused("quarantine", "retry")
