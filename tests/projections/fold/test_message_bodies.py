"""Messages become rows whose fields have the relations' names, with fingerprints for secrets.

Plain config messages have the rows that the full decoder gives them.
"""

import json
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventlog.errors import WireError
from eventlog.messages import SetConfig
from eventlog.secret_policy import SecretPolicy
from eventlog.timestamps import storable_micros
from eventlog.wire.coordinator import CoordinatorKey, decode_message
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
KEY: Final = CoordinatorKey(1, SetConfig.message_type, "a.b")
TEXTS: Final = st.one_of(
    st.text(st.characters(codec="ascii"), max_size=12),
    st.text(max_size=4),
    st.sampled_from(["", "https://user:hunter2@host/", TOKEN, "a\\u0000b", '"', "}", "\x7f", "ü"]),
)
FIELDS: Final = st.fixed_dictionaries(
    {
        "host": TEXTS,
        "source": TEXTS,
        "values": st.fixed_dictionaries({"value": TEXTS | st.none()}, optional={"more": TEXTS}),
        "username": TEXTS,
        "timestamp": st.integers(-5, 2**62) | st.sampled_from(["1", None, 1.5]),
    }
)
PLAIN: Final = b'{"host":"h","source":"s","values":{"value":"v, {w}"},"username":"u","timestamp":1700000000000}'


def _read(value: bytes, is_sensitive: bool) -> PlainConfig | None:
    return LogFold(1, "coordinator", SECRETS).plain_configs.read(value, is_sensitive)


@given(FIELDS, st.booleans(), st.booleans())
def test_it_says_what_the_full_decoder_says(fields: dict[str, object], is_sensitive: bool, is_ascii: bool) -> None:
    value = json.dumps(fields, separators=(",", ":"), ensure_ascii=is_ascii).encode("utf-8", "surrogatepass")
    plain = _read(value, is_sensitive)
    if plain is not None:
        body, author, message_time = plain
        message = decode_message(KEY, value)
        assert message.envelope is not None
        assert json.loads(body.removeprefix(JSONB_VERSION)) == message_body(message, is_sensitive, SECRETS)
        source, host, username, timestamp = message.envelope
        assert author == LogFold(1, "coordinator", SECRETS).masked_author(source, host, username)
        assert message_time == storable_micros(timestamp)


@pytest.mark.parametrize("text", [b"v, {w}", b"", b"1 2", b"[/a?b=c&d]"])
def test_ordinary_values_take_it(text: bytes) -> None:
    value = PLAIN.replace(b"v, {w}", text)
    plain = _read(value, False)
    assert plain is not None
    assert json.loads(plain[0].removeprefix(JSONB_VERSION)) == {"config_value": text.decode()}


@pytest.mark.parametrize(
    ("part", "other"),
    [
        (b'"v, {w}"', b"null"),
        (b"v, {w}", b"\\u0041"),
        (b"v, {w}", "ü".encode()),
        (b"v, {w}", b"\x01"),
        (b':"v', b': "v'),
        (b'"timestamp":1', b'"timestamp":01'),
        (b"1700000000000", b"1700000000000.5"),
        (b'"u"', b'"u","x":1'),
        (b"}", b"} "),
    ],
)
def test_all_others_are_read_in_full(part: bytes, other: bytes) -> None:
    value = PLAIN.replace(part, other)
    assert value != PLAIN
    assert _read(value, False) is None


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


def test_what_is_no_utf8_is_an_error_of_the_full_decoder() -> None:
    value = PLAIN.replace(b"v, {w}", b"\xff")
    assert _read(value, False) is None
    with pytest.raises(WireError, match="not_utf8"):
        decode_message(KEY, value)
