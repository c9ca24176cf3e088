"""The projector: a batch is committed as a whole or not at all."""

from collections.abc import Callable
from typing import Final

import pytest

from eventlog.postgres.connection import Connection, connect
from eventlog.streams import identify
from projections.errors import PositionMoved
from projections.fold.rows import Swept
from projections.projector import FEW_BYTES, FEW_EVENTS, Projector
from projections.tracked_logs import TrackedLog, logs_of, register_log
from tests.builders import config_set, raw, recorded
from tests.fixtures.properties.generated_jobs import LONG, GeneratedLog, generate_job
from tests.fixtures.properties.importing import ARCHIVED_AT, SETTINGS, always_copying
from tests.postgres.projections.follow.steps import shown

TABLES: Final = """
select format('%I.%I', n.nspname, c.relname)
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname in ('eventlog', 'projection') and c.relkind in ('r', 'p') and not c.relispartition
order by 1
"""
HOLDERS: Final = "projection.stream_holder"
_ROWS: Final = "select (to_jsonb(t) - array['heartbeat_at', 'read_at'])::text from {} t order by 1"


def all_rows(connection: Connection) -> dict[str, list[str]]:
    """Every row of every table of ours, as text, except when a log was read last and which session held its stream."""
    tables = [row[0] for row in connection.execute(TABLES).fetchall() if row[0] != HOLDERS]
    return {table: [row[0] for row in connection.execute(_ROWS.format(table).encode())] for table in tables}


class Failed(Exception):
    """Something that has nothing to do with the events went wrong."""


def registered(connection: Connection, log: GeneratedLog) -> TrackedLog:
    with connection.transaction():
        return register_log(connection, identify(log.stream_name), 1, "recording", SETTINGS, ARCHIVED_AT)


LOGS = generate_job(6, LONG).logs


def test_events_below_the_position_are_refused(connected: Connection) -> None:
    projector = Projector(connected, registered(connected, LOGS[0]), SETTINGS, lambda: ARCHIVED_AT)
    projector.apply(LOGS[0].events[:3])
    with pytest.raises(ValueError, match="before the position"):
        projector.apply(LOGS[0].events[2:4])


def test_other_work_is_done_while_current_rows_are_kept(connected: Connection, database_url: str) -> None:
    """They wait here for a lock, which only the other work ends."""
    steps = list[str]()
    tracked = registered(connected, LOGS[0])
    projector = always_copying(steps.append)(connected, tracked, SETTINGS, lambda: ARCHIVED_AT)
    events = recorded([config_set("a", "1"), config_set("a", "2")])
    projector.apply(events[:1])
    connected.execute("set lock_timeout = '10s'")
    with connect(database_url) as reader:
        reader.execute("begin")
        reader.execute("select from projection.config for update")

        def unlock() -> bool:
            if steps[-1] == "folded":
                reader.execute("rollback")
            return False

        projector.apply(events[1:], meanwhile=unlock)
    assert connected.execute("select config_value from projection.config").fetchall() == [("2",)]


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
            projector = always_copying(on_step)(connection, known, SETTINGS, lambda: ARCHIVED_AT)
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


def test_a_jobs_first_batch_does_not_wait_for_that_of_another(connected: Connection, database_url: str) -> None:
    logs = (LOGS[0], generate_job(7, LONG).logs[0])
    known = [registered(connected, log) for log in logs]
    positions: list[int] = []
    with connect(database_url) as other:
        other.execute("set lock_timeout = '10s'")
        second = Projector(other, known[1], SETTINGS, lambda: ARCHIVED_AT)

        def on_step(step: str) -> None:
            if step == "merged":
                second.apply(logs[1].events)
                positions.append(second.next_offset)

        always_copying(on_step)(connected, known[0], SETTINGS, lambda: ARCHIVED_AT).apply(logs[0].events)
    assert positions == [logs[1].events[-1].offset + 1]


@pytest.mark.parametrize("few_events", [FEW_EVENTS, 0])
def test_swept_keys_go_in_the_same_transaction(connected: Connection, few_events: int) -> None:
    log = registered(connected, LOGS[0])
    projector = Projector(connected, log, SETTINGS, lambda: ARCHIVED_AT, few_events=few_events)
    projector.apply(recorded([config_set("a", "1"), config_set("b", "2")]))
    gone = recorded([config_set("a", "")])[0].key or b""
    projector.apply([], swept=[Swept(1, gone)])
    assert projector.next_offset == 2
    assert shown(connected, "select config_key from coordinator.config") == [("b",)]
    assert shown(connected, "select log_offset, operation from coordinator.config_history where config_key = 'a'") == [
        (0, "set"),
        (1, "delete"),
    ]


def test_the_position_passes_over_offsets_without_events(connected: Connection) -> None:
    log = registered(connected, LOGS[0])
    projector = Projector(connected, log, SETTINGS, lambda: ARCHIVED_AT)
    projector.pass_to(7)
    assert projector.next_offset == 7
    assert shown(connected, "select next_offset from projection.position") == [(7,)]
    behind = Projector(connected, log, SETTINGS, lambda: ARCHIVED_AT)
    with pytest.raises(PositionMoved):
        behind.pass_to(9)
    assert shown(connected, "select next_offset from projection.position") == [(7,)]


@pytest.mark.parametrize("few_events", [FEW_EVENTS, 0])
def test_gaps_are_recorded(connected: Connection, few_events: int) -> None:
    log = registered(connected, LOGS[0])
    events = [event._replace(offset=at) for event, at in zip(LOGS[0].events, (2, 3, 7, 8, 20), strict=False)]
    for some, first in ((events[:3], log), (events[3:], None)):
        known = first or log_again(connected, log)
        Projector(connected, known, SETTINGS, lambda: ARCHIVED_AT, few_events=few_events).apply(some)
    assert shown(connected, "select first_offset, last_offset from projection.gap order by 1") == [
        (0, 1),
        (4, 6),
        (9, 19),
    ]


def log_again(connection: Connection, log: TrackedLog) -> TrackedLog:
    return logs_of(connection, log.stream.stream_name)[0]


def test_few_events_with_many_bytes_are_copied(connected: Connection) -> None:
    steps: list[str] = []
    log = registered(connected, LOGS[0])
    projector = Projector(connected, log, SETTINGS, lambda: ARCHIVED_AT, on_step=steps.append)
    half = b"\xff" * (FEW_BYTES // 2)
    projector.apply(recorded([raw(half, half)]))
    assert steps == ["folded", "committed"]
    projector.apply(recorded([raw(half + b"\xff", half)], first=1))
    projector.apply([], swept=[Swept(1, half), Swept(1, half + b"\xff")])
    assert steps[2:] == ["archived", "folded", "merged", "committed"] * 2


def test_only_at_the_end_a_log_counts_as_read(connected: Connection) -> None:
    projector = Projector(connected, registered(connected, LOGS[0]), SETTINGS, lambda: ARCHIVED_AT)
    seen = []
    for known_end, to in ((None, 3), (9, 5), (9, 9), (9, 12)):
        connected.execute("update projection.position set end_offset = %s, read_at = null", (known_end,))
        projector.pass_to(to)
        seen += shown(connected, "select end_offset, read_at is not null from projection.position")
    assert seen == [(None, False), (9, False), (9, True), (12, True)]


def test_after_its_follower_was_suspended_a_log_does_not_count_as_read(connected: Connection) -> None:
    projector = Projector(connected, registered(connected, LOGS[0]), SETTINGS, lambda: ARCHIVED_AT)
    seen = []
    for silent, to in (("29 s", 1), ("30 s", 2), ("0 s", 3)):
        beaten = "read_at = null, end_offset = coalesce(end_offset, 0), heartbeat_at = now() - %s::interval"
        with connected.transaction():  # it began before the follower was suspended
            connected.execute(f"update projection.position set {beaten}".encode(), (silent,))
            projector.pass_to(to)
        seen += shown(connected, "select end_offset, read_at is not null from projection.position")
    assert seen == [(1, True), (None, False), (3, True)]


def test_temporary_tables_are_created_again_if_a_rollback_has_removed_them(connected: Connection) -> None:
    log = registered(connected, LOGS[0])
    with connected.transaction(force_rollback=True):
        Projector(connected, log, SETTINGS, lambda: ARCHIVED_AT)
    projector = always_copying()(connected, log, SETTINGS, lambda: ARCHIVED_AT)
    projector.apply(LOGS[0].events)
    assert shown(connected, "select count(*) > 10 from projection.message_event") == [(True,)]
