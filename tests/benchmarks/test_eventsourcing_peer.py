"""The projection with the library eventsourcing keeps the newest offsets, as the other peers do."""

import json

import pytest

from benchmarks.eventsourcing_peer import project_checkpoints
from eventlog.events import RecordedEvent
from eventlog.postgres.connection import connect


@pytest.mark.parametrize("keeps_history", [False, True])
def test_the_newest_offsets_of_each_task_are_kept(empty_database_url: str, keeps_history: bool) -> None:
    events = [
        _event(0, "set-config", "job.name", {"value": "page-views"}),
        _event(1, "set-checkpoint", "Partition 0", {"kafka.page-views.0": "10", "kafka.page-views.1": "20"}),
        _event(2, "set-checkpoint", "Partition 1", {"kafka.page-views.2": "5"}),
        _event(3, "set-checkpoint", "Partition 0", {"kafka.page-views.0": "11"}),
        _event(4, "set-checkpoint", "Partition 1", None),
    ]
    count, seconds = project_checkpoints(empty_database_url, events, keeps_history=keeps_history)
    assert count == 3
    assert seconds > 0
    with connect(empty_database_url) as connection:
        rows = connection.execute("select * from checkpoint order by task_name, partition").fetchall()
        history = connection.execute("select log_offset, offsets from checkpoint_event order by log_offset").fetchall()
    assert rows == [
        ("Partition 0", "kafka.page-views.0", "11", 3),
        ("Partition 0", "kafka.page-views.1", "20", 1),
        ("Partition 1", "kafka.page-views.2", "5", 2),
    ]
    written = [(event.offset, json.loads(event.value)["values"]) for event in events[1:4] if event.value is not None]
    assert history == (written if keeps_history else [])


def _event(offset: int, message_type: str, name: str, values: dict[str, str] | None) -> RecordedEvent:
    key = json.dumps([1, message_type, name]).encode()
    value = None if values is None else json.dumps({"values": values}).encode()
    return RecordedEvent(offset, 0, 0, key, value)
