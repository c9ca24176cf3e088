"""Reading and writing a job's config, its and its write-once settings."""

from typing import Any
from unittest.mock import Mock

import pytest

from eventlog.events import NewEvent
from eventlog.log import EventLog
from eventlog.messages import Message
from eventlog.wire.coordinator import decode_key, decode_message, encode_key
from managers.config.job_config import read_config, read_launch_config, set_config, write_config
from managers.errors import NotReady, WriteOnceChange
from managers.stores import coordinator_store
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.stores.keyed_state import decode_value
from tests.builders import config_set
from tests.contracts.event_log import clock
from tests.fixtures.managers.watched_log import RecordingLog, WatchedLog

GROUPER = "job.systemstreampartition.grouper.factory"


def log_keys(log: EventLog, first: int = 0) -> list[tuple[str, bool]]:
    return [(decode_key(event.key).key, event.value is not None) for event in log.read(first)]


def messages(log: EventLog) -> list[Message]:
    return [decode_message(decode_key(event.key), event.value) for event in log.read()]


@pytest.mark.scenario("CFG-01")
def test_an_empty_string_is_a_value_and_null_is_a_delete(
    store: CoordinatorStreamStore, coordinator_log: EventLog
) -> None:
    coordinator_log.append([config_set("app.id", "1"), config_set("task.opt", ""), config_set("zk.server", "x")])
    coordinator_log.append([NewEvent(encode_key("set-config", "zk.server"), b'{"values":{"value":null}}')])
    assert read_config(store) == {"app.id": "1", "task.opt": ""}
    read: Any = read_config(store)
    with pytest.raises(TypeError):
        read["app.id"] = "2"


@pytest.mark.scenario("CFG-02")
def test_a_deployment_sets_first_and_then_deletes(store: CoordinatorStreamStore, coordinator_log: EventLog) -> None:
    write_config(store, {"a": "1", "b": "2", "c": "3"})
    write_config(store, {"a": "1", "b": "9"}, clock=clock)
    assert log_keys(coordinator_log, 3) == [("a", True), ("b", True), ("c", False)]
    assert read_config(store) == {"a": "1", "b": "9"}


def test_without_a_reset_nothing_is_written_or_deleted(
    store: CoordinatorStreamStore, coordinator_log: EventLog
) -> None:
    """CoordinatorStreamUtil.writeConfigToCoordinatorStream(config, resetJobConfig = false) only reads."""
    write_config(store, {"a": "1", "b": "2", "job.name": "orders"})
    end = coordinator_log.end_offset()
    grouper = {"job.systemstreampartition.grouper.factory": "other.Grouper"}
    write_config(store, {"b": "9", "c": "3", **grouper}, reset_job_config=False)
    assert read_config(store) == {"a": "1", "b": "2", "job.name": "orders"}
    assert coordinator_log.end_offset() == end


@pytest.mark.scenario("CFG-04")
def test_autosizing_results_stay_while_it_is_enabled(store: CoordinatorStreamStore) -> None:
    found = {"job.autosizing.container.count": "20"}
    enabled = {"job.autosizing.enabled": "true"}
    write_config(store, {**found, **enabled, "foo": "1"})
    write_config(store, enabled)
    assert read_config(store) == {**found, **enabled}
    write_config(store, {"job.autosizing.enabled": "false"})
    assert read_config(store) == {"job.autosizing.enabled": "false"}


@pytest.mark.scenario("CFG-05", "HRD-35")
def test_a_launch_reads_autosizing_results_if_enabled(store: CoordinatorStreamStore) -> None:
    write_config(store, {"job.id": "321", "job.autosizing.container.count": "20"})
    assert read_launch_config({}, None) == {}
    unopened = CoordinatorStreamStore(RecordingLog())
    assert read_launch_config({}, unopened) == {}
    with pytest.raises(NotReady, match=r"is not open. Call init\(\) first"):
        read_launch_config({"job.autosizing.enabled": "true"}, unopened)
    assert read_launch_config({"job.autosizing.enabled": "true"}, store) == {"job.autosizing.container.count": "20"}


def test_a_write_once_setting_is_changed_by_force_only(
    store: CoordinatorStreamStore, coordinator_log: EventLog
) -> None:
    old = {"job.name": "orders", GROUPER: "Old", "stores.s.changelog": "log", "job.changelog.system": "kafka"}
    write_config(store, old)
    new = {**old, GROUPER: "New", "job.changelog.system": "other"}
    with pytest.raises(WriteOnceChange) as refused:
        write_config(store, new)
    assert refused.value.changes == ((GROUPER, "Old", "New"), ("stores.s.changelog", "kafka.log", "other.log"))
    assert "Keep the value, give the job a new job.id, or force the change" in str(refused.value)
    assert coordinator_log.end_offset() == 4
    write_config(store, new, force=True, clock=clock)
    written = {said.key: said.envelope.source for said in messages(coordinator_log)[4:] if said.envelope is not None}
    forced = "job-runner (forced)"
    assert written == {
        "job.name": "job-runner",
        GROUPER: forced,
        "stores.s.changelog": forced,
        "job.changelog.system": "job-runner",
    }
    assert read_config(store) == new


def test_a_forced_delete_first_writes_its_source(store: CoordinatorStreamStore, coordinator_log: EventLog) -> None:
    write_config(store, {"job.name": "orders", GROUPER: "Old"})
    write_config(store, {"job.name": "orders"}, force=True, clock=clock)
    assert log_keys(coordinator_log, 2) == [("job.name", True), (GROUPER, True), (GROUPER, False)]
    assert read_config(store) == {"job.name": "orders"}


def test_a_config_is_checked_and_written_against_what_others_wrote_meanwhile(coordinator_log: EventLog) -> None:
    log = WatchedLog(coordinator_log)
    with CoordinatorStreamStore(coordinator_log) as other, CoordinatorStreamStore(log) as store:
        log.meanwhile = lambda: write_config(other, {"theirs": "1"})
        write_config(store, {"ours": "1"})
        assert read_config(other) == {"ours": "1"}
        theirs = {"job.name": "orders", GROUPER: "New"}
        log.meanwhile = lambda: write_config(other, theirs)
        with pytest.raises(WriteOnceChange, match="from 'New' to 'Other'"):
            set_config(store, GROUPER, "Other")
        assert read_config(store) == theirs


def test_a_message_is_decoded_once(store: CoordinatorStreamStore, monkeypatch: pytest.MonkeyPatch) -> None:
    write_config(store, {f"key.{number}": "1" for number in range(9)})
    decode = Mock(wraps=decode_value)
    monkeypatch.setattr(coordinator_store, "decode_value", decode)
    for value in "2", "3":
        set_config(store, "key.0", value)
    assert (read_config(store)["key.0"], decode.call_count) == ("3", 9 + 2)


def test_a_value_must_be_a_string_and_is_not_shown(store: CoordinatorStreamStore) -> None:
    wrong: Any = {"count": 8}
    with pytest.raises(TypeError, match="the value of count must be a string, not int"):
        write_config(store, wrong)
    assert read_config(store) == {}
