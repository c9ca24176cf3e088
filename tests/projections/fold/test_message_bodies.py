"""Messages become rows whose fields have the relations' names, with fingerprints for secrets."""

import json

import pytest

from eventlog.messages import (
    Delete,
    Message,
    SetChangelogMapping,
    SetConfig,
    SetContainerHostMapping,
    SetStartpoint,
    SetTaskPartitionMapping,
)
from eventlog.partition import SystemStreamPartition
from eventlog.secrets.secret_policy import SecretPolicy
from eventlog.startpoint import StartpointSpecific
from projections.fold.message_bodies import Body, encode_body, message_body, other_body

SECRETS = SecretPolicy(b"key")


@pytest.mark.parametrize(
    ("message", "body"),
    [
        (SetConfig(config_key="a", config_value=""), {"config_value": ""}),
        (SetChangelogMapping(task_name="t", changelog_partition=4), {"changelog_partition": 4}),
        (
            SetTaskPartitionMapping(partition=SystemStreamPartition("k", "s", 0), task_names=("b", "a", "b")),
            {"task_names": ["b", "a"]},
        ),
        (
            SetStartpoint(key_text="k.s.0", startpoint=StartpointSpecific("42", 7)),
            {"startpoint_type": "specific", "startpoint_value": "42", "created_ms": 7},
        ),
        (Delete(message_type="set-config", key="a"), None),
    ],
)
def test_fields_have_the_relations_names(message: Message, body: Body | None) -> None:
    assert message_body(message, False, SECRETS) == body


@pytest.mark.parametrize(
    ("value", "is_sensitive", "is_masked"),
    [("hunter2", True, True), ("hunter2", False, False), ("postgresql://u:hunter2@h/d", False, True)],
)
def test_a_secret_config_value_is_a_fingerprint(value: str, is_sensitive: bool, is_masked: bool) -> None:
    body = message_body(SetConfig(config_key="k", config_value=value), is_sensitive, SECRETS)
    assert body is not None
    assert (body["config_value"] == SECRETS.fingerprint(value), "is_sensitive" in body) == (is_masked, is_masked)


def test_a_password_in_a_jmx_url_is_masked() -> None:
    host = SetContainerHostMapping(container_id="0", host_name="h", jmx_url="service:jmx://u:hunter2@h:1/x")
    assert "hunter2" not in json.dumps(message_body(host, False, SECRETS))


def test_other_messages_stay_text_but_for_their_secrets() -> None:
    assert other_body('{"a": 1}', False, SECRETS) == {"message_value": '{"a": 1}'}
    assert "hunter2" not in json.dumps(other_body('{"password":"hunter2"}', False, SECRETS))
    assert other_body("hunter2", True, SECRETS) == {"message_value": SECRETS.fingerprint("hunter2")}


def test_a_body_is_jsonb_in_binary() -> None:
    assert encode_body({"a": "ü"}) == b'\x01{"a": "\xc3\xbc"}'
