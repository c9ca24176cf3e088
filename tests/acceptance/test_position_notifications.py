"""The contract of `NOTIFY coordstream_position`: one for each batch that is committed, and none else."""

import json
from collections.abc import Iterator
from typing import Any, Final

import pytest

from eventlog.postgres.connection import Connection, connect
from eventlog.streams import checkpoint_stream_name, coordinator_stream_name, identify
from projections import projector as projector_module
from projections.errors import PositionMoved
from projections.fold.rows import Swept
from projections.projector import Projector
from projections.tracked_logs import TrackedLog, register_log
from tests.acceptance.imported_job import IMPORTED_AT, SETTINGS, import_events
from tests.builders import checkpoint_v1, config_set, recorded
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
def writer(database_url: str) -> Iterator[Connection]:
    with connect(database_url) as connection:
        yield connection


@pytest.fixture
def listener(writer: Connection, database_url: str) -> Iterator[Listener]:
    with Listener(writer, database_url) as listening:
        yield listening


@pytest.fixture(params=["few", "many"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of few events go another way than those of many."""
    monkeypatch.setattr(projector_module, "FEW_EVENTS", 1_000 if request.param == "few" else 0)


@pytest.fixture
def log(writer: Connection) -> TrackedLog:
    with writer.transaction():
        return register_log(writer, identify(COORDINATOR), 1, "recording", SETTINGS, IMPORTED_AT)


def projector_of(writer: Connection, log: TrackedLog, fail_at: str = "") -> Projector:
    def on_step(step: str) -> None:
        if step == fail_at:
            raise ArithmeticError

    return Projector(writer, log, SETTINGS, lambda: IMPORTED_AT, on_step=on_step if fail_at else None)


def test_the_payload(writer: Connection, listener: Listener) -> None:
    import_events(writer, COORDINATOR, EVENTS[:3])
    import_events(writer, CHECKPOINTS, recorded([checkpoint_v1()], first=7))
    import_events(writer, COORDINATOR, recorded([config_set("other", "1")]))
    received = listener.received()
    assert received == [
        {"stream_name": COORDINATOR, "stream_kind": "coordinator", "incarnation": 1, "next_offset": 3},
        {"stream_name": CHECKPOINTS, "stream_kind": "checkpoint", "incarnation": 1, "next_offset": 8},
        {"stream_name": COORDINATOR, "stream_kind": "coordinator", "incarnation": 2, "next_offset": 1},
    ]
    assert {tuple(type(value) for value in payload.values()) for payload in received} == {(str, str, int, int)}


@pytest.mark.usefixtures("way")
def test_one_for_each_committed_batch(writer: Connection, log: TrackedLog, listener: Listener) -> None:
    projector = projector_of(writer, log)
    for first in range(0, len(EVENTS), 30):
        projector.apply(EVENTS[first : first + 30])
    assert listener.positions() == [30, 60, 90, 100]
    projector.apply([])
    assert listener.positions() == []
    projector.apply([], swept=[Swept(99, EVENTS[0].key or b"")])
    projector.pass_to(120)
    assert listener.positions() == [100, 120]


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("step", ["archived", "folded", "merged"])
def test_a_failed_batch_sends_no_notification(
    writer: Connection, log: TrackedLog, listener: Listener, step: str
) -> None:
    with pytest.raises(ArithmeticError):
        projector_of(writer, log, fail_at=step).apply(EVENTS[:30])
    assert listener.positions() == []
    projector_of(writer, log).apply(EVENTS[:30])
    assert listener.positions() == [30]


@pytest.mark.usefixtures("way")
def test_an_outer_transaction_delays_the_notification_until_its_commit(
    writer: Connection, log: TrackedLog, listener: Listener, database_url: str
) -> None:
    with writer.transaction(force_rollback=True):
        projector_of(writer, log).apply(EVENTS[:30])
    assert listener.positions() == []
    with writer.transaction():
        projector_of(writer, log).apply(EVENTS[:30])
        with connect(database_url) as another, Listener(another, database_url) as meanwhile:
            assert meanwhile.positions() == []
    assert listener.positions() == [30]


@pytest.mark.usefixtures("way")
def test_an_overtaken_projector_sends_no_notification(writer: Connection, log: TrackedLog, listener: Listener) -> None:
    behind = projector_of(writer, log)
    projector_of(writer, log).apply(EVENTS[:30])
    with pytest.raises(PositionMoved):
        behind.apply(EVENTS[:10])
    with pytest.raises(PositionMoved):
        behind.pass_to(40)
    assert listener.positions() == [30]


def test_repeated_events_send_no_notification(writer: Connection, listener: Listener) -> None:
    import_events(writer, COORDINATOR, EVENTS[:30])
    import_events(writer, COORDINATOR, EVENTS[:30])
    assert listener.positions() == [30]
    import_events(writer, COORDINATOR, EVENTS, batch_events=35)
    assert listener.positions() == [65, 100]
