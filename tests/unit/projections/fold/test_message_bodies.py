"""Messages become rows whose fields have the relations' names, with fingerprints for secrets."""

import json
from typing import Final

import pytest

from eventlog.messages import SetConfig
from eventlog.secret_policy import SecretPolicy
from projections.fold.log_fold import LogFold
from projections.fold.message_bodies import JSONB_VERSION, PlainConfig, message_body, other_body

SECRETS = SecretPolicy(b"key")


@pytest.mark.parametrize(
    ("value", "is_sensitive", "is_masked"),
    [("hunter2", True, True), ("hunter2", False, False), ("postgresql://u:hunter2@h/d", False, True)],
)
def test_a_secret_config_value_is_a_fingerprint(value: str, is_sensitive: bool, is_masked: bool) -> None:
    body = message_body(SetConfig(config_key="k", config_value=value), is_sensitive, SECRETS)
    assert body is not None
    assert (body["config_value"] == SECRETS.fingerprint(value), "is_sensitive" in body) == (is_masked, is_masked)


def test_other_messages_stay_text_but_for_their_secrets() -> None:
    assert other_body('{"a": 1}', False, SECRETS) == {"message_value": '{"a": 1}'}
    assert "hunter2" not in json.dumps(other_body('{"password":"hunter2"}', False, SECRETS))
    assert other_body("hunter2", True, SECRETS) == {"message_value": SECRETS.fingerprint("hunter2")}


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


def test_secrets_of_the_author_are_masked() -> None:
    plain = _read(PLAIN.replace(b'"u"', b'"%b"' % TOKEN.encode()), False)
    assert plain is not None
    assert plain[1] == ("s", "h", SECRETS.fingerprint(TOKEN))
