"""The keys that live according to the projection."""

from collections.abc import Iterator
from typing import Final

import pytest

from eventlog.events import RecordedEvent
from eventlog.postgres.connection import Connection, connect
from projections.follow.living_keys import LivingKeys
from projections.tracked_logs import logs_of
from tests.properties.importing import import_events

STREAM: Final = "__samza_coordinator_orders_1"
VALUE: Final = b'{"values":{"value":"1"}}'


def key(name: str) -> bytes:
    return b'[1,"set-config","%s"]' % name.encode()


def event(offset: int, name: bytes | None, value: bytes | None = VALUE) -> RecordedEvent:
    return RecordedEvent(offset, 0, 0, name, value)


@pytest.fixture
def connected(database_url: str) -> Iterator[Connection]:
    with connect(database_url) as connection:
        yield connection


def living(connection: Connection, *events: RecordedEvent) -> LivingKeys:
    import_events(connection, STREAM, events)
    return LivingKeys(connection, logs_of(connection, STREAM)[0].log_id)


def test_what_was_set_and_not_deleted_lives(connected: Connection) -> None:
    keys = living(
        connected,
        event(0, key("a")),
        event(1, key("b")),
        event(2, key("c")),
        event(3, key("a")),
        event(4, key("b"), None),
        event(5, key("c"), b"{"),
        event(6, b'[1,"set-checkpoint","Partition 0"]', b'{"values":{}}'),
        event(7, b'[1,"unheard-of","x"]'),
    )
    assert len(keys) == 4
    assert keys.unmet() == [key("a"), key("c"), b'[1,"set-checkpoint","Partition 0"]', b'[1,"unheard-of","x"]']


def test_an_open_place_in_quarantine_lives(connected: Connection) -> None:
    unreadable = [event(0, b"?"), event(1, key("a")), event(2, key("a"), b"{"), event(3, key("b"), b"{")]
    assert living(connected, *unreadable, event(4, key("b"), None), event(5, None)).unmet() == [b"?", key("a")]


def test_spellings_of_a_key_live_apart(connected: Connection) -> None:
    keys = living(connected, event(0, key("a")), event(1, b'[1, "set-config", "a"]'))
    keys.meet([event(0, key("a"))])
    assert keys.unmet() == [b'[1, "set-config", "a"]']


def test_keys_that_are_met_are_struck_out(connected: Connection) -> None:
    keys = living(connected, event(0, key("a")), event(1, key("b")))
    keys.meet([event(0, key("a")), event(5, key("z")), event(6, None), event(7, key("a"), None)])
    assert (len(keys), keys.unmet()) == (1, [key("b")])
    keys.meet([event(1, key("b"))])
    assert (len(keys), bool(keys), keys.unmet()) == (0, False, [])


def test_another_log_has_other_keys(connected: Connection) -> None:
    import_events(connected, "__samza_coordinator_other_1", [event(0, key("o"))])
    assert living(connected, event(0, key("a"))).unmet() == [key("a")]
