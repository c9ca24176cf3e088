"""Messages become rows whose fields have the relations' names, with fingerprints for secrets."""

import json
from typing import Final

from eventlog.messages import SetStartpointFanOut, SetTaskContainerMapping
from eventlog.partition import SystemStreamPartition
from eventlog.secret_policy import SecretPolicy
from eventlog.startpoint import StartpointFanOut, StartpointSpecific
from projections.fold.log_fold import LogFold
from projections.fold.message_bodies import JSONB_VERSION, PlainConfig, encode_body, message_body, other_body

SECRETS = SecretPolicy(b"key")


def test_other_messages_stay_text_but_for_their_secrets() -> None:
    assert other_body('{"a": 1}', False, SECRETS) == {"message_value": '{"a": 1}'}
    assert "hunter2" not in json.dumps(other_body('{"password":"hunter2"}', False, SECRETS))
    assert other_body("hunter2", True, SECRETS) == {"message_value": SECRETS.fingerprint("hunter2")}
    half = other_body(r'{"password":"x","b":["\ud800","{\"c\":\"\\ud800\",\"token\":1}"]}', False, SECRETS)
    encode_body(half)  # as an escape
    assert json.loads(half["message_value"])["b"][0] == "\ud800"


def test_names_that_relations_join_on_and_names_of_columns_make_no_value_a_secret() -> None:
    name, start = "https://u:hunter2@h", StartpointSpecific("password=hunter2", 1)
    fan_out = StartpointFanOut(1, {SystemStreamPartition("k", name, 0): start})
    message = SetStartpointFanOut(task_name="t", fan_out=fan_out)
    (body,) = (message_body(message, False, SecretPolicy(b"key", ("key", "partition", "password"))) or {})["fan_outs"]
    assert (body["key_bucket"], body["partition_id"], body["stream_name"]) == (-1, 0, name)
    assert body["startpoint_value"] == SECRETS.fingerprint("password=hunter2")
    container = SetTaskContainerMapping(task_name="t", container_id=name)
    assert message_body(container, False, SECRETS) == {"container_id": name}


TOKEN: Final = "ghp_" + 36 * "a"
PLAIN: Final = b'{"host":"h","source":"s","values":{"value":"v, {w}"},"username":"u","timestamp":1700000000000}'


def _read(value: bytes, is_sensitive: bool) -> PlainConfig | None:
    return LogFold(1, "coordinator", SECRETS).plain_configs.read(value, is_sensitive)


def test_a_secret_is_masked_by_the_key_and_by_what_it_shows() -> None:
    url, token = (PLAIN.replace(b"v, {w}", text) for text in (b"https://u:hunter2@h/", TOKEN.encode()))
    for value, is_sensitive in ((PLAIN, True), (url, False), (token, False)):
        plain = _read(value, is_sensitive)
        assert plain is not None
        assert json.loads(plain[0].removeprefix(JSONB_VERSION))["is_sensitive"]
        assert not any(secret in plain[0] for secret in (b"v, {w}", b"hunter2", TOKEN.encode()))
