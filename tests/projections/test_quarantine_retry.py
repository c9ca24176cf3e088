"""What an older program could not read is read by a newer one, as if it had been readable at once."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import pytest

from eventlog.errors import WireError
from eventlog.events import RecordedEvent
from eventlog.postgres.connection import Connection, connect
from projections.errors import FoldVersionDiffers, StreamBusy
from projections.fold import batch, settings
from projections.quarantine_retry import Trial, mend, try_again
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
def an_older_program(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One that reads no changelog mapping, and no checkpoint."""

    def refuse(*_: object) -> Any:
        raise WireError("wrong_type", "it came with a later version")

    with monkeypatch.context() as patch:
        patch.setattr(batch, "decode_message", refuse)
        patch.setattr(batch, "decode_checkpoint", refuse)
        patch.setattr(settings, "CODE_VERSION", settings.CODE_VERSION - 1)
        yield


def imported(connection: Connection) -> dict[str, list[str]]:
    import_events(connection, COORDINATOR, EVENTS)
    import_events(connection, CHECKPOINT, COMMITS)
    return relations(connection)


def counts(trials: list[Trial]) -> list[tuple[str, int, int, bool]]:
    return [(trial.log.stream.stream_kind, trial.tried, trial.understood, trial.is_outdated) for trial in trials]


def test_the_relations_are_as_if_it_had_been_readable_at_once(
    clone_database: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with connect(clone_database()) as connection:
        expected = imported(connection)
    with connect(clone_database()) as connection:
        with an_older_program(monkeypatch):
            poorer = imported(connection)
        assert poorer != expected
        trials = try_again(connection, [COORDINATOR, CHECKPOINT], SETTINGS)
        assert counts(trials) == [("coordinator", 4, 3, True), ("checkpoint", 2, 2, True)]
        assert relations(connection) == poorer
        assert [mend(connection, trial, SETTINGS) for trial in trials] == [5, 2]
        assert relations(connection) == expected
        assert counts(try_again(connection, [COORDINATOR, CHECKPOINT], SETTINGS)) == [("coordinator", 1, 0, False)]


def test_a_row_of_this_version_is_mended_too(database_url: str) -> None:
    """As if the key's dictionary had been mended by hand, or a row been planted."""
    with connect(database_url) as connection:
        expected = imported(connection)
        connection.execute(
            "insert into projection.quarantine (log_offset, log_id, key_id, reason, detail)"
            " select log_offset, log_id, key_id, 'not_known', 'planted' from projection.message_event"
            " where log_offset = 1 and log_id = (select log_id from projection.job_log where stream_name = %s)",
            (COORDINATOR,),
        )
        connection.execute("delete from projection.message_event where log_offset = 1")
        (trial,) = try_again(connection, [COORDINATOR], SETTINGS)
        assert (trial.tried, trial.understood, trial.is_outdated, trial.asks_for_folding) == (2, 1, False, True)
        mend(connection, trial, SETTINGS)
        assert relations(connection) == expected


def test_what_nobody_reads_asks_for_nothing(database_url: str) -> None:
    with connect(database_url) as connection:
        imported(connection)
        (trial,) = try_again(connection, [COORDINATOR, CHECKPOINT, "unknown"], SETTINGS)
        assert (trial.tried, trial.understood, trial.asks_for_folding) == (1, 0, False)


def test_a_log_without_quarantine_of_an_older_program_is_outdated(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with connect(database_url) as connection:
        import_events(connection, COORDINATOR, EVENTS[:1])
        monkeypatch.setattr(settings, "CODE_VERSION", settings.CODE_VERSION + 1)
        (trial,) = try_again(connection, [COORDINATOR], SETTINGS)
        assert (trial.tried, trial.asks_for_folding) == (0, True)
        assert mend(connection, trial, SETTINGS) == 1
        assert try_again(connection, [COORDINATOR], SETTINGS) == []


def test_a_log_of_a_newer_program_is_refused(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with connect(database_url) as connection:
        imported(connection)
        monkeypatch.setattr(settings, "CODE_VERSION", settings.CODE_VERSION - 1)
        with pytest.raises(FoldVersionDiffers):
            try_again(connection, [COORDINATOR], SETTINGS)


def test_a_stream_that_is_being_followed_is_left_alone(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with connect(database_url) as connection, connect(database_url) as follower:
        with an_older_program(monkeypatch):
            before = imported(connection)
        (trial, _) = try_again(connection, [COORDINATOR, CHECKPOINT], SETTINGS)
        with stream_lock(follower, COORDINATOR), pytest.raises(StreamBusy):
            mend(connection, trial, SETTINGS)
        assert relations(connection) == before


def test_events_that_came_since_the_trial_are_folded_too(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    later = RecordedEvent(9, EVENTS[-1].timestamp, 0, changelog_set("Partition 3", 7).key, changelog_set().value)
    with connect(database_url) as connection:
        with an_older_program(monkeypatch):
            import_events(connection, COORDINATOR, EVENTS)
            (trial,) = (t for t in try_again(connection, [COORDINATOR], SETTINGS))
            import_events(connection, COORDINATOR, [*EVENTS, later])
        assert mend(connection, trial, SETTINGS) == 6
