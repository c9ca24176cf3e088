"""The contract of `NOTIFY coordstream_position`: one for each batch that is committed, and none else."""

import json
from collections.abc import Iterator
from typing import Any, Final

import pytest

from eventlog.postgres.connection import Connection, connect
from eventlog.streams import checkpoint_stream_name, coordinator_stream_name, identify
from projections.errors import PositionMoved
from projections.fold.rows import Swept
from projections.projector import FEW_EVENTS, Projector
from projections.tracked_logs import TrackedLog, register_log
from tests.builders import checkpoint_v1, config_set, recorded
from tests.fixtures.acceptance.imported_job import IMPORTED_AT, SETTINGS, import_events
from tests.fixtures.waiting import PATIENCE

COORDINATOR: Final = coordinator_stream_name("position")
CHECKPOINTS: Final = checkpoint_stream_name("position")
EVENTS: Final = recorded([config_set(f"key.{n}", "1") for n in range(100)])


class Listener:
    """A reader who listens, on a connection of its own."""

    def __init__(self, writer: Connection, url: str) -> None:
        self._writer, self._url = writer, url

    def __enter__(self) -> "Listener":
        self._connection = connect(self._url)
        self._connection.execute("listen coordstream_position")
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._connection.close()

    def received(self) -> list[dict[str, Any]]:
        """All notifications since the last call. They arrive in the order of the commits; the last one is ours."""
        last = f"so far, asks {self._connection.info.backend_pid}"
        self._writer.execute("select pg_notify('coordstream_position', %s)", (last,))
        payloads: list[str] = []
        for notice in self._connection.notifies(timeout=PATIENCE):
            if notice.payload == last:
                return [json.loads(payload) for payload in payloads if not payload.startswith("so far")]
            payloads.append(notice.payload)
        raise AssertionError("the last notification did not come")

    def positions(self) -> list[int]:
        """Where the positions went since the last call."""
        return [payload["next_offset"] for payload in self.received()]


@pytest.fixture
def listener(connected: Connection, database_url: str) -> Iterator[Listener]:
    with Listener(connected, database_url) as listening:
        yield listening


@pytest.fixture(params=[FEW_EVENTS, 0], ids=["in one statement", "by copy"])
def few_events(request: pytest.FixtureRequest) -> int:
    """At most how many events are sent in one statement."""
    return int(request.param)


@pytest.fixture
def log(connected: Connection) -> TrackedLog:
    with connected.transaction():
        return register_log(connected, identify(COORDINATOR), 1, "recording", SETTINGS, IMPORTED_AT)


def projector_of(connected: Connection, log: TrackedLog, few_events: int, fail_at: str = "") -> Projector:
    def on_step(step: str) -> None:
        if step == fail_at:
            raise ArithmeticError

    return Projector(connected, log, SETTINGS, lambda: IMPORTED_AT, few_events=few_events, on_step=on_step)


def test_the_payload(connected: Connection, listener: Listener) -> None:
    import_events(connected, COORDINATOR, EVENTS[:3])
    import_events(connected, CHECKPOINTS, recorded([checkpoint_v1()], first=7))
    import_events(connected, COORDINATOR, recorded([config_set("other", "1")]))
    received = listener.received()
    assert received == [
        {"stream_name": COORDINATOR, "stream_kind": "coordinator", "incarnation": 1, "next_offset": 3},
        {"stream_name": CHECKPOINTS, "stream_kind": "checkpoint", "incarnation": 1, "next_offset": 8},
        {"stream_name": COORDINATOR, "stream_kind": "coordinator", "incarnation": 2, "next_offset": 1},
    ]
    assert {tuple(type(value) for value in payload.values()) for payload in received} == {(str, str, int, int)}


def test_one_for_each_committed_batch(
    connected: Connection, log: TrackedLog, listener: Listener, few_events: int
) -> None:
    projector = projector_of(connected, log, few_events)
    for first in range(0, len(EVENTS), 30):
        projector.apply(EVENTS[first : first + 30])
    assert listener.positions() == [30, 60, 90, 100]
    projector.apply([])
    assert listener.positions() == []
    projector.apply([], swept=[Swept(99, EVENTS[0].key or b"")])
    projector.pass_to(120)
    assert listener.positions() == [100, 120]


@pytest.mark.parametrize(
    ("few_events", "step"), [(FEW_EVENTS, "folded"), (0, "archived"), (0, "folded"), (0, "merged")]
)
def test_a_failed_batch_sends_no_notification(
    connected: Connection, log: TrackedLog, listener: Listener, few_events: int, step: str
) -> None:
    with pytest.raises(ArithmeticError):
        projector_of(connected, log, few_events, step).apply(EVENTS[:30])
    assert listener.positions() == []
    projector_of(connected, log, few_events).apply(EVENTS[:30])
    assert listener.positions() == [30]


def test_an_outer_transaction_delays_the_notification_until_its_commit(
    connected: Connection, log: TrackedLog, listener: Listener, few_events: int, database_url: str
) -> None:
    with connected.transaction(force_rollback=True):
        projector_of(connected, log, few_events).apply(EVENTS[:30])
    assert listener.positions() == []
    with connected.transaction():
        projector_of(connected, log, few_events).apply(EVENTS[:30])
        with connect(database_url) as another, Listener(another, database_url) as meanwhile:
            assert meanwhile.positions() == []
    assert listener.positions() == [30]


def test_an_overtaken_projector_sends_no_notification(
    connected: Connection, log: TrackedLog, listener: Listener, few_events: int
) -> None:
    behind = projector_of(connected, log, few_events)
    projector_of(connected, log, few_events).apply(EVENTS[:30])
    with pytest.raises(PositionMoved):
        behind.apply(EVENTS[:10])
    with pytest.raises(PositionMoved):
        behind.pass_to(40)
    assert listener.positions() == [30]
