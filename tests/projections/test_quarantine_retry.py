"""A newer program reads what an older one put in quarantine, as if it had been readable at once."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import pytest

from eventlog.errors import WireError
from eventlog.events import RecordedEvent
from eventlog.postgres.connection import Connection, connect
from projections.errors import FoldVersionDiffers, StreamBusy
from projections.fold import batch, checkpoint_batch, settings
from projections.quarantine_retry import QuarantineCheck, check_quarantine, rebuild_checked_log
from projections.stream_lock import stream_lock
from tests.builders import changelog_set, checkpoint_v2, config_set, raw, recorded
from tests.projections.rebuilt import relations
from tests.properties.importing import SETTINGS, import_events

pytestmark = pytest.mark.slow

COORDINATOR: Final = "__samza_coordinator_orders_1"
CHECKPOINT: Final = "__samza_checkpoint_ver_1_for_orders_1"
EVENTS: Final = recorded(
    [
        config_set("job.name", "orders"),
        changelog_set("Partition 0", 3),
        changelog_set("Partition 1", 4),
        raw(b'[1,"set-changelog","Partition 2"]', b"never readable"),
        changelog_set("Partition 0", 5),
    ]
)
COMMITS: Final = recorded([checkpoint_v2("Partition 0"), checkpoint_v2("Partition 1", {"kafka.in.1": "9"})])


@contextmanager
def older_program(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Simulate a program that cannot read changelog mappings or checkpoints."""

    def refuse(*_: object) -> Any:
        raise WireError("wrong_type", "it came with a later version")

    with monkeypatch.context() as patch:
        patch.setattr(batch, "decode_message", refuse)
        patch.setattr(checkpoint_batch, "decode_checkpoint", refuse)
        patch.setattr(settings, "CODE_VERSION", settings.CODE_VERSION - 1)
        yield


def imported(connection: Connection) -> dict[str, list[str]]:
    import_events(connection, COORDINATOR, EVENTS)
    import_events(connection, CHECKPOINT, COMMITS)
    return relations(connection)


def counts(checks: list[QuarantineCheck]) -> list[tuple[str, int, int, bool]]:
    return [(check.log.stream.stream_kind, check.unresolved, check.readable, check.is_outdated) for check in checks]


def test_a_rebuild_gives_the_rows_of_the_newer_program(
    clone_database: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with connect(clone_database()) as connection:
        expected = imported(connection)
    with connect(clone_database()) as connection:
        with older_program(monkeypatch):
            incomplete = imported(connection)
        assert incomplete != expected
        checks = check_quarantine(connection, [COORDINATOR, CHECKPOINT], SETTINGS)
        assert counts(checks) == [("coordinator", 4, 3, True), ("checkpoint", 2, 2, True)]
        assert relations(connection) == incomplete
        assert [rebuild_checked_log(connection, check, SETTINGS) for check in checks] == [5, 2]
        assert relations(connection) == expected
        assert counts(check_quarantine(connection, [COORDINATOR, CHECKPOINT], SETTINGS)) == [
            ("coordinator", 1, 0, False)
        ]


def test_a_readable_event_of_this_fold_version_is_a_reason_to_rebuild(database_url: str) -> None:
    """The row in quarantine was inserted by hand."""
    with connect(database_url) as connection:
        expected = imported(connection)
        connection.execute(
            "insert into projection.quarantine (log_offset, log_id, key_id, reason, detail)"
            " select log_offset, log_id, key_id, 'not_known', 'inserted' from projection.message_event"
            " where log_offset = 1 and log_id = (select log_id from projection.job_log where stream_name = %s)",
            (COORDINATOR,),
        )
        connection.execute("delete from projection.message_event where log_offset = 1")
        (check,) = check_quarantine(connection, [COORDINATOR], SETTINGS)
        assert (check.unresolved, check.readable, check.is_outdated, check.needs_rebuild) == (2, 1, False, True)
        rebuild_checked_log(connection, check, SETTINGS)
        assert relations(connection) == expected


def test_an_event_that_stays_unreadable_needs_no_rebuild(database_url: str) -> None:
    with connect(database_url) as connection:
        imported(connection)
        (check,) = check_quarantine(connection, [COORDINATOR, CHECKPOINT, "unknown"], SETTINGS)
        assert (check.unresolved, check.readable, check.needs_rebuild) == (1, 0, False)


def test_a_log_without_quarantine_of_older_program_is_outdated(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with connect(database_url) as connection:
        import_events(connection, COORDINATOR, EVENTS[:1])
        monkeypatch.setattr(settings, "CODE_VERSION", settings.CODE_VERSION + 1)
        (check,) = check_quarantine(connection, [COORDINATOR], SETTINGS)
        assert (check.unresolved, check.needs_rebuild) == (0, True)
        assert rebuild_checked_log(connection, check, SETTINGS) == 1
        assert check_quarantine(connection, [COORDINATOR], SETTINGS) == []


def test_a_log_of_a_newer_program_is_refused(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with connect(database_url) as connection:
        imported(connection)
        monkeypatch.setattr(settings, "CODE_VERSION", settings.CODE_VERSION - 1)
        with pytest.raises(FoldVersionDiffers):
            check_quarantine(connection, [COORDINATOR], SETTINGS)


def test_a_stream_that_is_being_followed_is_not_rebuilt(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with connect(database_url) as connection, connect(database_url) as follower:
        with older_program(monkeypatch):
            before = imported(connection)
        (check, _) = check_quarantine(connection, [COORDINATOR, CHECKPOINT], SETTINGS)
        with stream_lock(follower, COORDINATOR), pytest.raises(StreamBusy):
            rebuild_checked_log(connection, check, SETTINGS)
        assert relations(connection) == before


def test_the_rebuild_includes_events_applied_meanwhile(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    later = RecordedEvent(9, EVENTS[-1].timestamp, 0, changelog_set("Partition 3", 7).key, changelog_set().value)
    with connect(database_url) as connection:
        with older_program(monkeypatch):
            import_events(connection, COORDINATOR, EVENTS)
            (check,) = (t for t in check_quarantine(connection, [COORDINATOR], SETTINGS))
            import_events(connection, COORDINATOR, [*EVENTS, later])
        assert rebuild_checked_log(connection, check, SETTINGS) == 6
