import json

from eventlog.events import RecordedEvent
from eventlog.partition import TaskName
from eventlog.streams import StreamKind
from eventlog.wire.checkpoint_topic import KEY_TYPE_V1, CheckpointKey, encode_key
from spark_jobs.data_source.columns import EventColumns
from spark_jobs.data_source.log_range import Log
from tests.fixtures.data_source import SECRETS

COLUMNS = ("message_type", "message_key", "operation", "message_value")


def test_a_secret_is_masked_and_the_rest_is_kept() -> None:
    value = {"values": {"value": "hunter2"}, "host": "h"}
    *key, shown = decoded(b'[1,"set-config","db.password"]', json.dumps(value).encode())
    assert key == ["set-config", "db.password", "set"]
    assert json.loads(shown or "") == {"values": {"value": SECRETS.fingerprint("hunter2")}, "host": "h"}


def test_a_value_without_its_main_field_is_a_delete_as_in_the_relation() -> None:
    assert decoded(b'[1,"set-config","a"]', b'{"values":{}}')[:3] == ["set-config", "a", "delete"]


def test_a_tombstone_is_a_delete() -> None:
    assert decoded(b'[1,"set-config","a"]', None) == ["set-config", "a", "delete", None]


def test_what_cannot_be_decoded_has_no_type() -> None:
    assert decoded(b"\xff", b"\xfe") == [None, None, "set", "\\xfe"]
    assert decoded(None, b"x") == [None, None, "set", "x"]


def test_a_checkpoint_names_its_task() -> None:
    key = encode_key(CheckpointKey(KEY_TYPE_V1, TaskName("Partition 0")))
    assert decoded(key, b"{}", "checkpoint") == [KEY_TYPE_V1, "Partition 0", "set", "{}"]


def decoded(key: bytes | None, value: bytes | None, kind: StreamKind = "coordinator") -> list[str | None]:
    event = RecordedEvent(0, 0, 0, key, value)
    (batch,) = EventColumns(COLUMNS, Log("s", kind), SECRETS).batches([event])
    (row,) = batch.to_pylist()
    return [row[name] for name in COLUMNS]
