"""The values that Samza writes for each type (MSG-12).

Keys and values of the coordinator stream beyond the golden vectors.
"""

import pytest

from eventlog.errors import WireError
from eventlog.messages import (
    Delete,
    Envelope,
    Message,
    SetChangelogMapping,
    SetCheckpoint,
    SetConfig,
    SetContainerHostMapping,
    SetTaskPartitionMapping,
)
from eventlog.partition import SystemStreamPartition
from eventlog.wire.coordinator import CoordinatorKey, decode_key, decode_message, encode_message


def read(message_type: str, value: bytes | None, key: str = "k") -> Message:
    return decode_message(CoordinatorKey(1, message_type, key), value)


def reason_of(message_type: str, value: bytes, key: str = "k") -> str:
    with pytest.raises(WireError) as caught:
        read(message_type, value, key)
    return caught.value.reason


@pytest.mark.parametrize("version", [b"0", b"2", b'"1"', b"null", b"1.5", b"[]", b"true"])
def test_a_key_of_any_version_is_read(version: bytes) -> None:
    key = decode_key(b"[" + version + b', "set-config" , "a", "extra"]')
    assert (key.message_type, key.key) == ("set-config", "a")


@pytest.mark.parametrize(
    ("message_type", "value"),
    [
        ("set-config", b'{"values":{"value":null}}'),
        ("set-config", b'{"values":{}}'),
        ("set-changelog", b'{"values":{"Partition":null}}'),
        ("set-changelog", b'{"values":{"Partition":""}}'),
        ("set-changelog", b'{"values":{"Partition":" ","partition":"4"}}'),
        ("set-container-host-assignment", b'{"values":{"ip":"h"}}'),
        ("set-task-partition-assignment", b'{"values":{"taskNames":null}}'),
        ("set-config", b"null"),
        ("samza-startpoint-v1", b" null\n"),
        ("samza-startpoint-v1", b""),
        ("samza-startpoint-v1-fan-out", b""),
        ("set-config", None),
        ("samza-startpoint-v1", None),
        ("never-heard-of", None),
    ],
)
def test_a_delete_is_a_null_value_or_a_missing_main_field(message_type: str, value: bytes | None) -> None:
    message = read(message_type, value)
    assert message == Delete(message_type=message_type, key="k")
    assert encode_message(message)[1] == value
    assert encode_message(Delete(message_type=message_type, key="k"))[1] is None


def test_an_empty_text_is_a_value_and_an_empty_checkpoint_is_one() -> None:
    assert read("set-config", b'{"values":{"value":""}}') == SetConfig(config_key="k", config_value="")
    assert read("set-checkpoint", b'{"values":{}}') == SetCheckpoint(task_name="k", offsets={})


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ("x", "not_json"),
        ("[]", "wrong_type"),
        ('{"system":"k","partition":0}', "missing_field"),
        ('{"system":"k","stream":"s","partition":"0"}', "wrong_type"),
        ('{"system":"k","stream":"s","partition":99999999999}', "bad_partition"),
    ],
)
def test_an_assignment_needs_a_partition_as_key_but_its_end_does_not(key: str, reason: str) -> None:
    value = b'{"values":{"taskNames":"[]"}}'
    assert reason_of("set-task-partition-assignment", value, key) == reason
    assert read("set-task-partition-assignment", None, key).key == key


@pytest.mark.scenario("MSG-13")
def test_both_spellings_are_read_and_the_code_s_wins() -> None:
    assert read("set-changelog", b'{"values":{"partition":"4"}}') == SetChangelogMapping(
        task_name="k", changelog_partition=4
    )
    both = read("set-container-host-assignment", b'{"values":{"hostname":"doc","host":"code"}}')
    assert both == SetContainerHostMapping(container_id="k", host_name="code")
    changed = read("set-changelog", b'{"values":{"partition":"4"}}').model_copy(update={"changelog_partition": 5})
    assert encode_message(changed)[1] == b'{"values":{"Partition":"5"}}'


def test_envelope_fields_of_another_type_are_none() -> None:
    message = read("set-config", b'{"source":1,"host":[],"username":{},"timestamp":"x","values":{"value":"v"}}')
    assert message.envelope == Envelope()
    assert read("set-config", b'{"timestamp":true,"values":{"value":"v"}}').envelope == Envelope()


def test_an_unchanged_message_gives_the_bytes_it_was_read_from() -> None:
    odd = b'{ "timestamp":1,"future":[1.50], "values":{"x":null,"value":"v"},"source":"s"}'
    message = read("set-config", odd)
    assert encode_message(message) == (b'[1,"set-config","k"]', odd)
    changed = message.model_copy(update={"config_value": "w"})
    assert encode_message(changed)[1] == b'{"source":"s","values":{"value":"w"},"timestamp":1}'
    rewritten = message.model_copy(update={"envelope": Envelope("me")})
    assert encode_message(rewritten)[1] == b'{"source":"me","values":{"value":"v"}}'


def test_a_partition_key_without_bucket_keeps_its_spelling() -> None:
    key = '{"system":"k","stream":"a.b","partition":1}'
    message = read("set-task-partition-assignment", b'{"values":{"taskNames":"[\\"t\\"]"}}', key)
    assert message == SetTaskPartitionMapping(partition=SystemStreamPartition("k", "a.b", 1), task_names=("t",))
    assert decode_key(encode_message(message)[0]).key == key


def test_no_error_shows_what_the_record_held() -> None:
    for value in (
        b'{"values":{"value":["hunter2"]}}',
        b'{"values":"hunter2"}',
        b'{"values":{"value":"hunter2"',
        b"hunter2",
    ):
        with pytest.raises(WireError) as caught:
            read("set-config", value)
        assert "hunter2" not in str(caught.value)
