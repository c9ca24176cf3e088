"""The projector: a batch is committed as a whole or not at all."""

from collections.abc import Callable, Iterator

import pytest

from eventlog.archive import read_archive
from eventlog.connection import Connection, connect
from eventlog.streams import identify
from projections.projector import Applied, Projector
from projections.registry import RegisteredLog, register_log
from tests.acceptance.import_until import LONG
from tests.acceptance.test_kills import all_rows
from tests.properties.generated_jobs import GeneratedLog, generate_job
from tests.properties.importing import ARCHIVED_AT, SETTINGS


class Failed(Exception):
    """Something that has nothing to do with the events went wrong."""


def registered(connection: Connection, log: GeneratedLog) -> RegisteredLog:
    with connection.transaction():
        return register_log(connection, identify(log.stream_name), 1, "recording", SETTINGS, ARCHIVED_AT)


@pytest.fixture
def connected(database_url: str) -> Iterator[Connection]:
    with connect(database_url) as connection:
        yield connection


LOGS = generate_job(6, LONG).logs


def test_nothing_to_apply_leaves_the_position(connected: Connection) -> None:
    projector = Projector(connected, registered(connected, LOGS[0]), SETTINGS, lambda: ARCHIVED_AT)
    assert projector.apply([]) == Applied(0, 0, 0)


def test_events_below_the_position_are_refused(connected: Connection) -> None:
    projector = Projector(connected, registered(connected, LOGS[0]), SETTINGS, lambda: ARCHIVED_AT)
    projector.apply(LOGS[0].events[:3])
    with pytest.raises(ValueError, match="before the position"):
        projector.apply(LOGS[0].events[2:4])


def test_a_batch_says_what_it_did(connected: Connection) -> None:
    projector = Projector(connected, registered(connected, LOGS[0]), SETTINGS, lambda: ARCHIVED_AT)
    applied = projector.apply(LOGS[0].events)
    row = connected.execute("select count(*) from projection.quarantine").fetchone()
    assert applied == Applied(len(LOGS[0].events), row[0] if row else -1, LOGS[0].events[-1].offset + 1)
    assert applied.quarantined > 0


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.stream_name)
@pytest.mark.parametrize("step", ["archived", "folded", "merged"])
def test_after_a_failed_batch_the_next_try_commits_the_same(
    clone_database: Callable[[], str], step: str, log: GeneratedLog
) -> None:
    fails = False

    def on_step(done: str) -> None:
        if fails and done == step:
            raise Failed

    def all_applied(fail: bool) -> dict[str, list[str]]:
        nonlocal fails
        with connect(clone_database()) as connection:
            known = registered(connection, log)
            projector = Projector(connection, known, SETTINGS, lambda: ARCHIVED_AT, on_step=on_step)
            for first in range(0, len(log.events), 40):
                batch = log.events[first : first + 40]
                if fail:
                    fails = True
                    with pytest.raises(Failed):
                        projector.apply(batch)
                    fails = False
                projector.apply(batch)
            return all_rows(connection)

    assert all_applied(fail=True) == all_applied(fail=False)


def test_a_log_that_is_archived_elsewhere_is_only_folded(connected: Connection) -> None:
    log = registered(connected, LOGS[0])
    projector = Projector(connected, log, SETTINGS, lambda: ARCHIVED_AT, archives=False)
    projector.apply(LOGS[0].events)
    assert list(read_archive(connected, log.log_id)) == []
    assert connected.execute("select count(*) > 10 from projection.message_event").fetchone() == (True,)


def test_the_archive_holds_every_event_exactly(connected: Connection) -> None:
    for log in LOGS:
        known = registered(connected, log)
        Projector(connected, known, SETTINGS, lambda: ARCHIVED_AT).apply(log.events)
        assert list(read_archive(connected, known.log_id)) == log.events
