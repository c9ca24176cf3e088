"""Many requests at once."""

from eventlog.log import EventLog
from eventlog.startpoint import StartpointOldest, StartpointSpecific
from managers.startpoints.startpoint_changes import delete_requests, request_keys, write_requests
from managers.startpoints.startpoint_facts import StartpointFacts
from managers.stores.coordinator_store import CoordinatorStreamStore
from tests.builders import coordinator_key, raw, startpoint
from tests.managers.watched_log import WatchedLog


def test_a_stream_is_written_in_one_piece(coordinator_log: EventLog) -> None:
    watched = WatchedLog(coordinator_log)
    requests = {f"kafka.in.{number}": StartpointSpecific("7", 1) for number in range(16)}
    with CoordinatorStreamStore(watched) as store:
        write_requests(store, requests)
    assert watched.append_count == 1
    event = next(iter(coordinator_log.read()))
    assert (event.key, event.value) == startpoint("kafka.in.0", StartpointSpecific("7", 1))[:2]
    assert StartpointFacts.read(coordinator_log).requests == requests


def test_every_spelling_is_deleted_and_what_cant_be_read_too(coordinator_log: EventLog) -> None:
    plain = startpoint("kafka.in.0", StartpointOldest(1))
    spaced = raw(b'[1, "samza-startpoint-v1", "kafka.in.0"]', plain.value)
    unreadable = raw(coordinator_key("samza-startpoint-v1", "kafka.in.1"), b"{bad")
    coordinator_log.append([plain, spaced, unreadable, startpoint("kafka.in.2", StartpointOldest(1))])
    with CoordinatorStreamStore(coordinator_log) as store:
        assert request_keys(store) == ["kafka.in.0", "kafka.in.1", "kafka.in.2"]
        delete_requests(store, ["kafka.in.0", "kafka.in.1"])
        assert request_keys(store) == ["kafka.in.2"]
    ended = [event.key for event in coordinator_log.read() if event.value is None]
    assert set(ended) == {plain.key, spaced.key, unreadable.key}
