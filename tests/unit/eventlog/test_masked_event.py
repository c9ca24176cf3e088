"""Events as they may leave the installation."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventlog.checkpoint import CheckpointId, CheckpointV1, CheckpointV2
from eventlog.events import CREATE_TIME, RecordedEvent
from eventlog.masked_event import mask_event
from eventlog.messages import SetCheckpoint, SetStartpointFanOut
from eventlog.partition import SystemStreamPartition, TaskName
from eventlog.secret_policy import DEFAULT_SECRET_PATTERNS, SecretPolicy
from eventlog.wire import checkpoint_topic
from eventlog.wire.coordinator import encode_key
from eventlog.wire.jackson import encode_partition_key

POLICY = SecretPolicy(b"key")
PLANTED = "hunter2-Zq9"
V1 = checkpoint_topic.KEY_TYPE_V1
V2 = checkpoint_topic.KEY_TYPE_V2
TOKENS = SystemStreamPartition("kafka", "tokens", 0)


def event(key: bytes | None, value: bytes | None, headers: tuple[tuple[str, bytes | None], ...] = ()) -> RecordedEvent:
    return RecordedEvent(3, 4, CREATE_TIME, key, value, headers, 5)


def config(name: str, value: object) -> RecordedEvent:
    record = {"host": "h", "values": {"value": value}, "username": "u", "timestamp": 1}
    return event(encode_key("set-config", name), json.dumps(record).encode())


def checkpoint_key(key_type: str, task: str) -> bytes:
    return checkpoint_topic.encode_key(checkpoint_topic.CheckpointKey(key_type, TaskName(task)))


def shown(masked: RecordedEvent) -> Any:
    assert masked.value is not None
    return json.loads(masked.value)


def test_a_config_value_keeps_its_envelope_and_shows_the_relations_fingerprint() -> None:
    masked = mask_event(config("db.password", PLANTED), POLICY)
    assert masked.key == encode_key("set-config", "db.password")
    fingerprint = POLICY.fingerprint(PLANTED)
    assert shown(masked) == {"host": "h", "values": {"value": fingerprint}, "username": "u", "timestamp": 1}


@pytest.mark.parametrize("value", ["x://u:hunter2-Zq9@h", '{"a": {"token": "hunter2-Zq9"}, "b": 1}'])
def test_a_config_value_that_shows_a_secret_becomes_a_fingerprint_whole(value: str) -> None:
    assert shown(mask_event(config("plain", value), POLICY))["values"] == {"value": POLICY.fingerprint(value)}


A_CONFIG, A_SECRET = encode_key("set-config", "a"), encode_key("set-config", "token")
LEAKS = {
    "sensitive config": config("db.password", PLANTED),
    "a config value that is not a text": config("db.password", [1, PLANTED]),
    "a URL": config("db.url", f"x://u:{PLANTED}@h"),
    "config in another envelope": event(A_SECRET, f'"{PLANTED}"'.encode()),
    "config that is not JSON": event(A_SECRET, PLANTED.encode()),
    "config that is not UTF-8": event(A_SECRET, b"\xff" + PLANTED.encode()),
    "the envelope of plain config": event(A_CONFIG, b'{"password":"hunter2-Zq9","values":{"value":"b"}}'),
    "a field beside a config value": event(A_CONFIG, b'{"values":{"value":"b","password":"hunter2-Zq9"}}'),
    "a field beside a config value that shows a secret": event(
        A_CONFIG, b'{"values":{"value":"x://u:hunter2-Zq9@h","password":"hunter2-Zq9"}}'
    ),
    "a config value that a second one hides": event(
        A_CONFIG, b'{"values":{"value":"x://u:hunter2-Zq9@h","value":"b"}}'
    ),
    "values that a second field hides": event(
        A_CONFIG, b'{"values":{"value":"x://u:hunter2-Zq9@h"},"values":{"value":"b"}}'
    ),
    "a number too large": event(A_SECRET, b'{"a":1e999,"values":{"value":"hunter2-Zq9"}}'),
    "nested too deeply": event(A_SECRET, b'{"values":' + b"[" * 9000 + PLANTED.encode()),
    "an unknown type with a secret key": event(encode_key("my-type", "db.token"), PLANTED.encode()),
    "a type that is a secret's name": event(encode_key("my-credentials", "a"), PLANTED.encode()),
    "a field of an unknown type": event(encode_key("my-type", "a"), b'{"b":{"password":"hunter2-Zq9"}}'),
    "the key of an unknown type": event(encode_key("my-type", f"password={PLANTED}"), b"1"),
    "an unknown checkpoint key": event(b'{"type":"my-type","taskName":"db.token"}', PLANTED.encode()),
    "a field of a checkpoint key": event(b'{"type":"my-type","password":"hunter2-Zq9"}', b"1"),
    "a field beside a place": event(checkpoint_key(V1, "t")[:-1] + b',"password":"hunter2-Zq9"}', b"1"),
    "a checkpoint that cannot be read": event(checkpoint_key(V1, "t"), b"password=hunter2-Zq9"),
    "a field beside a checkpoint's": event(
        checkpoint_key(V2, "t"),
        b'{"checkpoint-id":"1-2","input-offsets":{},"state-checkpoint-markers":{},"password":"hunter2-Zq9"}',
    ),
    "a JMX URL": event(
        encode_key("set-container-host-assignment", "0"),
        b'{"values":{"host":"h","jmx-url":"service:jmx:rmi://u:hunter2-Zq9@h"}}',
    ),
    "a key that cannot be read": event(b"my password=hunter2-Zq9", None),
    "what stands under such a key": event(b"my password", PLANTED.encode()),
    "a key that is not UTF-8": event(b"\xff password=hunter2-Zq9", None),
    "no key": event(None, b'{"password":"hunter2-Zq9"}'),
    "a header": event(None, None, (("password", PLANTED.encode()), ("url", b"x://u:hunter2-Zq9@h"))),
}


@pytest.mark.parametrize("leak", LEAKS.values(), ids=LEAKS)
def test_no_secret_leaves(leak: RecordedEvent) -> None:
    masked = mask_event(leak, POLICY)
    assert PLANTED.encode() not in repr(masked).encode()
    assert "hmac-sha256:" in repr(masked)
    assert masked[:3] == leak[:3]
    assert masked.leader_epoch == leak.leader_epoch
    assert mask_event(masked, POLICY) == masked


OFFSETS = {TOKENS: "5"}
MARKERS = {"factory": {"password-store": "marker"}}
FAN_OUT = b'{"timestamp":1,"fanOuts":{"kafka.tokens.0":{"@type":"StartpointOldest","creationTimestamp":1}}}'
HARMLESS = {
    "nothing": event(None, None),
    "a tombstone of a secret": event(encode_key("set-config", "password"), None),
    "plain config": config("job.name", "orders"),
    "another spelling": event(b'[ 1, "set-config" , "a"]', b'{ "values" : {"value":"\\u0041"} }'),
    "bytes": event(b"\xff\x00", b"\x00\xfe", (("h", b"\xff"), ("g", None))),
    "nesting": event(None, b"[" * 9000),
    "V1 of a stream named tokens": event(
        checkpoint_key(V1, "token 0"), checkpoint_topic.encode_v1(CheckpointV1(OFFSETS))
    ),
    "V2 of a store named password-store": event(
        checkpoint_key(V2, "token 0"), checkpoint_topic.encode_v2(CheckpointV2(CheckpointId(1, 2), OFFSETS, MARKERS))
    ),
    "a checkpoint on the coordinator stream": event(
        encode_key(SetCheckpoint.message_type, "token 0"), b'{"values":{"kafka.tokens.0":"5"}}'
    ),
    "a fan-out of a stream named tokens": event(encode_key(SetStartpointFanOut.message_type, "token 0"), FAN_OUT),
    "a task named like a secret": event(
        encode_key("set-task-container-assignment", "token 0"), b'{"values":{"containerId":"1"}}'
    ),
    "a partition": event(encode_key("set-task-partition-assignment", encode_partition_key(TOKENS)), None),
}


@pytest.mark.parametrize("harmless", HARMLESS.values(), ids=HARMLESS)
def test_an_event_without_a_secret_stays_unchanged(harmless: RecordedEvent) -> None:
    assert mask_event(harmless, POLICY) == harmless
    assert mask_event(harmless, SecretPolicy(b"key", ("key", "partition"))).key == harmless.key


TEXTS = st.text(max_size=10)
KEYS = (
    st.none()
    | st.binary(max_size=10)
    | st.builds(
        encode_key,
        st.sampled_from(["set-config", "set-checkpoint", "my-type", "token"]),
        TEXTS | st.just("db.password"),
    )
)
VALUES = (
    st.none()
    | st.binary(max_size=20)
    | st.builds(lambda name, value: json.dumps({"values": {name: value}}).encode(), TEXTS | st.just("password"), TEXTS)
)


@given(KEYS, VALUES, st.lists(st.tuples(TEXTS | st.just("token"), st.binary(max_size=5)), max_size=2).map(tuple))
def test_masking_twice_is_masking_once(key: bytes | None, value: bytes | None, headers: Any) -> None:
    once = mask_event(event(key, value, headers), POLICY)
    assert mask_event(once, POLICY) == once


@given(
    st.text("ABCDEFGHJKLMNPQRSTUVWXYZ23456789", min_size=12),
    st.sampled_from(DEFAULT_SECRET_PATTERNS),
    st.sampled_from(["set-config", "my-type"]),
    st.sampled_from(['{"values":{"value":"%s"}}', '"%s"', "%s", '{"values":{"x":["%s"]}}', '{"values":{"value":"%s"']),
)
def test_a_secret_under_a_pattern_key_never_leaves(secret: str, pattern: str, message_type: str, form: str) -> None:
    planted = event(encode_key(message_type, f"systems.{pattern}"), (form % secret).encode())
    assert secret not in repr(mask_event(planted, POLICY))
