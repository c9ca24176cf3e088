"""Records that cannot be understood: each class of badness in each place, on both topics."""

import json
from typing import Final, NamedTuple

from eventlog.events import NewEvent
from tests.builders import checkpoint_v1, checkpoint_v2, config_set, coordinator_key, raw

V1_KEY: Final = checkpoint_v1("bad").key
V2_KEY: Final = checkpoint_v2("bad").key
CONFIG_KEY: Final = coordinator_key("set-config", "bad")
V1_VALUE: Final = checkpoint_v1().value
CONFIG_VALUE: Final = config_set().value


class Bad(NamedTuple):
    """A record that cannot be understood, and the short code that says why."""

    name: str
    event: NewEvent
    reason: str


def _config(name: str, value: bytes, reason: str) -> Bad:
    return Bad(name, raw(CONFIG_KEY, value), reason)


def _keyed(name: str, key: bytes | None, reason: str, value: bytes | None = CONFIG_VALUE) -> Bad:
    return Bad(name, raw(key, value), reason)


def _typed(name: str, message_type: str, key: str, value: bytes, reason: str) -> Bad:
    return Bad(name, raw(coordinator_key(message_type, key), value), reason)


def _tasks(name: str, tasks: str, reason: str) -> Bad:
    key = '{"system":"kafka","partition":0,"stream":"in","keyBucket":-1}'
    value = json.dumps({"values": {"taskNames": tasks}}).encode()
    return _typed(f"inside values: {name}", "set-task-partition-assignment", key, value, reason)


def _startpoint(name: str, value: bytes, reason: str) -> Bad:
    return _typed(f"startpoint {name}", "samza-startpoint-v1", "k.s.0", value, reason)


def _v1(name: str, value: bytes, reason: str) -> Bad:
    return Bad(f"V1 {name}", raw(V1_KEY, value), reason)


def _v2(name: str, value: bytes, reason: str) -> Bad:
    return Bad(f"V2 {name}", raw(V2_KEY, value), reason)


def _entry(fields: bytes) -> bytes:
    return b'{"label":{' + fields + b"}}"


FAN_OUT: Final = "samza-startpoint-v1-fan-out"

ON_THE_COORDINATOR_STREAM: Final = [
    _keyed("key null", None, "null_key"),
    _keyed("key not JSON", b"[1,set-config,bad]", "not_json"),
    _keyed("key not UTF-8", b'[1,"set-config","\xff"]', "not_utf8"),
    _keyed("key NUL", rb'[1,"set-config","\u0000"]', "nul"),
    _keyed("key NUL in its type", rb'[1,"\u0000","bad"]', "nul"),
    _keyed("key lone surrogate", rb'[1,"set-config","\ud800"]', "surrogate"),
    _keyed("key of a wrong type", b'{"key":"bad"}', "wrong_type"),
    _keyed("key with a number for its type", b'[1,2,"bad"]', "wrong_type"),
    _keyed("key with a missing part", b'[1,"set-config"]', "missing_field"),
    _keyed("key without bytes", b"", "empty"),
    _keyed("key nested too deeply", b"[" * 100_000, "not_json"),
    _typed("key inside: no partition", "set-task-partition-assignment", "no JSON", b"{}", "not_json"),
    _typed("key inside: missing field", "set-task-partition-assignment", '{"system":"s"}', b"{}", "missing_field"),
    _typed("key inside: too short for a startpoint", "samza-startpoint-v1", "kafka.in", b"{}", "bad_partition"),
    _typed(
        "key inside: partition as Samza does not write it", "samza-startpoint-v1", "kafka.in.01", b"{}", "bad_partition"
    ),
    _config("value not JSON", b"{values}", "not_json"),
    _config("value cut off", (CONFIG_VALUE or b"")[:-5], "not_json"),
    _config("value not UTF-8", b'{"values":{"value":"\xff"}}', "not_utf8"),
    _config("value with a raw NUL", b'{"values":{"value":"\x00"}}', "not_json"),
    _config("value NaN", b'{"values":{"value":NaN}}', "not_json"),
    _config("value a list", b"[]", "wrong_type"),
    _config("value a number as JSON", b"5", "wrong_type"),
    _config("value without values", b'{"source":"s"}', "missing_field"),
    _config("value without bytes", b"", "empty"),
    _config("inside values: NUL", rb'{"values":{"value":"a\u0000b"}}', "nul"),
    _config("inside values: lone surrogate", rb'{"values":{"value":"\ud800"}}', "surrogate"),
    _config("inside values: a number", b'{"values":{"value":5}}', "wrong_type"),
    _config("inside values: values is a list", b'{"values":[]}', "wrong_type"),
    _config("inside the envelope: NUL", rb'{"values":{"value":"v"},"source":"\u0000"}', "nul"),
    _typed("inside values: not a number", "set-changelog", "t", b'{"values":{"Partition":"one"}}', "bad_number"),
    _tasks("not JSON", "Partition 0", "not_json"),
    _tasks("empty", "", "empty"),
    _tasks("a wrong type", "[1]", "wrong_type"),
    _typed("inside values: no partition", "set-checkpoint", "bad", b'{"values":{"kafka":"9"}}', "bad_partition"),
    _typed("inside values: NUL in a name", "set-checkpoint", "t", rb'{"values":{"k.\u0000.0":"9"}}', "nul"),
    _startpoint("of an unknown kind", b'{"@type":"New"}', "unknown_startpoint"),
    _startpoint("with a missing field", b'{"@type":"StartpointOldest"}', "missing_field"),
    _startpoint(
        "of a time that is too large",
        b'{"@type":"StartpointOldest","creationTimestamp":9223372036854775808}',
        "bad_number",
    ),
    _typed("fan-out of a large time", FAN_OUT, "t", b'{"timestamp":-1%s,"fanOuts":{}}' % (b"0" * 19), "bad_number"),
    _typed("fan-out of no partition", FAN_OUT, "t", b'{"fanOuts":{"kafka":{}}}', "bad_partition"),
    _typed("fan-out with a missing field", FAN_OUT, "t", b"{}", "missing_field"),
    _typed("unknown type: not UTF-8", "set-something", "k", b"\xff\xfe", "not_utf8"),
    _typed("unknown type: NUL", "set-something", "k", b"a\x00b", "nul"),
]

ON_THE_CHECKPOINT_TOPIC: Final = [
    _keyed("key null", None, "null_key", V1_VALUE),
    _keyed("key not JSON", b"garbage", "not_json", V1_VALUE),
    _keyed("key not UTF-8", (V1_KEY or b"").replace(b"bad", b"\xff"), "not_utf8", V1_VALUE),
    _keyed("key NUL", (V1_KEY or b"").replace(b"bad", rb"\u0000"), "nul", V1_VALUE),
    _keyed("key lone surrogate", (V1_KEY or b"").replace(b"bad", rb"\udc00"), "surrogate", V1_VALUE),
    _keyed("key of a wrong type", b'[1,"checkpoint","bad"]', "wrong_type", V1_VALUE),
    _keyed("key with a number for its task", (V1_KEY or b"").replace(b'"bad"', b"5"), "wrong_type", V1_VALUE),
    _keyed("key with a missing field", b'{"type":"checkpoint","taskName":"bad"}', "missing_field", V1_VALUE),
    _keyed("key without bytes", b"", "empty", V1_VALUE),
    _v1("value not JSON", b"not json", "not_json"),
    _v1("value not UTF-8", b'{"\xff":{}}', "not_utf8"),
    _v1("value a list", b"[]", "wrong_type"),
    _v1("value without bytes", b"", "empty"),
    _v1("entry a text", b'{"label":"kafka"}', "wrong_type"),
    _v1("entry with a missing field", _entry(b'"system":"kafka","stream":"in","partition":"0"'), "missing_field"),
    _v1("entry NUL", _entry(rb'"system":"\u0000","stream":"in","partition":"0","offset":"1"'), "nul"),
    _v1("entry lone surrogate", _entry(rb'"system":"k","stream":"\ud800","partition":"0","offset":"1"'), "surrogate"),
    _v1("offset NUL", _entry(rb'"system":"k","stream":"in","partition":"0","offset":"\u0000"'), "nul"),
    _v1("offset a number", _entry(b'"system":"k","stream":"in","partition":"0","offset":1'), "wrong_type"),
    _v1("partition no number", _entry(b'"system":"k","stream":"in","partition":"x","offset":"1"'), "bad_partition"),
    _v2("value not JSON", b"not json", "not_json"),
    _v2("value not UTF-8", b'{"\xff":{}}', "not_utf8"),
    _v2("value a text", b'"text"', "wrong_type"),
    _v2("value without bytes", b"", "empty"),
    _v2("value with a missing field", b'{"checkpoint-id":"1-2","input-offsets":{}}', "missing_field"),
    _v2("id", b'{"checkpoint-id":"12","input-offsets":{},"state-checkpoint-markers":{}}', "bad_checkpoint_id"),
    _v2("offset a boolean", b'{"input-offsets":{"k.in.0":true},"state-checkpoint-markers":{}}', "wrong_type"),
    _v2("offset null", b'{"input-offsets":{"k.in.0":null},"state-checkpoint-markers":{}}', "wrong_type"),
    _v2("offset NUL", rb'{"input-offsets":{"k.in.0":"\u0000"},"state-checkpoint-markers":{}}', "nul"),
    _v2("offset lone surrogate", rb'{"input-offsets":{"k.in.0":"\udfff"},"state-checkpoint-markers":{}}', "surrogate"),
    _v2("marker a number", b'{"input-offsets":{},"state-checkpoint-markers":{"f":{"s":1}}}', "wrong_type"),
    _v2("marker NUL", rb'{"input-offsets":{},"state-checkpoint-markers":{"f":{"s":"\u0000"}}}', "nul"),
    _v2("no partition", b'{"input-offsets":{"kafka":"1"},"state-checkpoint-markers":{}}', "bad_partition"),
]
