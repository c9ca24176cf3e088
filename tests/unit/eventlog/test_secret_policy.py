"""What counts as a secret by name, by form or by what a value names, and what stands in for it."""

import base64
import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventlog.recording import read_recording
from eventlog.secret_policy import DEFAULT_SECRET_PATTERNS, SecretPolicy, holds_fingerprint
from eventlog.secret_texts import SecretNames, has_secret_form, is_word
from eventlog.wire.coordinator import decode_key, decode_message
from tests.checkout import CHECKOUT

POLICY = SecretPolicy(b"installation key")
PLANTED = "hunter2-Zq9"
TOKENS = (
    "AKIA" + "Q2" * 8,
    "xoxb-" + "a1" * 10,
    "hooks.slack.com/services/T01234567/B01234567/" + "a1" * 10,
    "PuTTY-User-Key-File-3",
)
GIVEN = json.loads(Path(__file__).with_name("secrets.json").read_text())
SHOWN = GIVEN["texts with the secret hunter2-Zq9"]
PLAIN = (*GIVEN["texts without a secret"], "[" * 100_000, '{"a":' * 50_000, "1" * 5000, "\ud800")


@pytest.mark.parametrize("pattern", [*DEFAULT_SECRET_PATTERNS, "sensitive."])
@pytest.mark.parametrize("spelling", [str.lower, str.upper, str.title, str.swapcase])
def test_a_name_with_a_pattern_in_any_case(pattern: str, spelling: object) -> None:
    assert callable(spelling)
    assert POLICY.is_secret_name(spelling(f"systems.kafka.{pattern}s.x"))
    assert POLICY.is_secret_name(spelling(pattern))


@pytest.mark.parametrize("name", ["apiKey", "api_key", "aws-access-key", "PRIVATEKEY", "sasl_jaas_config"])
def test_a_dot_within_a_pattern_is_any_joint(name: str) -> None:
    assert POLICY.is_secret_name(name)


@pytest.mark.parametrize("name", ["", "job.name", "sensitivex", "apiXkey", "task.inputs", "pass.word"])
def test_other_names_are_none(name: str) -> None:
    assert not POLICY.is_secret_name(name)


def test_patterns_are_texts_and_can_be_chosen() -> None:
    policy = SecretPolicy(b"k", ("pin(", "a+b", "prod."))
    assert all(map(policy.is_secret_name, ["x.PIN(1", "a+b", "prod.x", "sensitive.x"]))
    assert not any(map(policy.is_secret_name, ["pin", "aab", "product", "password"]))
    assert not SecretPolicy(b"k", ()).holds_secret("password=x")


@pytest.mark.parametrize("text", SHOWN)
def test_a_secret_in_a_text_goes(text: str) -> None:
    assert POLICY.holds_secret(text)
    for masked in (POLICY.mask_text(text), POLICY.mask_json_text(text), POLICY.mask_json({"a": [text]})["a"][0]):
        assert PLANTED not in masked
        assert "hmac-sha256:" in masked
        assert POLICY.mask_json_text(masked) == masked
        assert not POLICY.holds_secret(masked)


@pytest.mark.parametrize("text", PLAIN)
def test_a_text_without_a_secret_stays(text: str) -> None:
    assert not POLICY.holds_secret(text)
    assert POLICY.mask_text(text) == POLICY.mask_json_text(text) == POLICY.mask_json(text) == text


def test_what_is_beside_a_secret_stays() -> None:
    masked = POLICY.mask_json_text('{"a":1,"token":"s","b":["ä",{"password":[1]},"x://u:p@h"]}')
    assert json.loads(masked) == {
        "a": 1,
        "token": POLICY.fingerprint("s"),
        "b": ["ä", {"password": POLICY.fingerprint("[1]")}, POLICY.fingerprint("x://u:p@h")],
    }
    assert masked.startswith('{"a":1,"token":"hmac-')


def test_a_fingerprint_shows_only_whether_a_secret_changed() -> None:
    shown = POLICY.fingerprint("a")
    assert shown == POLICY.fingerprint(b"a") == SecretPolicy(b"installation key", ()).fingerprint("a")
    assert shown != POLICY.fingerprint("b")
    assert shown != SecretPolicy(b"another key").fingerprint("a")
    prefix, _, digits = shown.partition(":")
    assert (prefix, len(digits), set(digits) <= set("0123456789abcdef")) == ("hmac-sha256", 64, True)


def test_the_fingerprint_of_a_fingerprint_is_the_same() -> None:
    shown = POLICY.fingerprint("a")
    assert POLICY.fingerprint(shown) == SecretPolicy(b"another key").fingerprint(shown) == shown
    assert POLICY.fingerprint(shown + "0") != shown + "0"
    assert POLICY.mask_json({"password": shown}) == {"password": shown}


def test_the_key_is_never_shown() -> None:
    assert "installation key" not in f"{POLICY!r} {POLICY} {POLICY.identity()}"


def test_the_identity_is_that_of_key_and_patterns() -> None:
    policies = [POLICY, SecretPolicy(b"another key"), SecretPolicy(b"installation key", ("password",))]
    assert len({policy.identity() for policy in policies}) == 3
    assert POLICY.identity() == SecretPolicy(b"installation key").identity()
    assert len(POLICY.identity()) == 16


MEBIBYTE = 2**20
BAD_FOR_A_REGEX = {
    "a scheme that never ends": "a",
    "names upon names": "password",
    "names with dots": "token.",
    "URLs upon URLs": "x://a:b",
    "slashes": "x:\\/",
    "tokens upon tokens": "https://a",
    "oracle": "jdbc:oracle:thin:",
    "backslashes": "\\",
    "escapes": "\\u0041",
    "quotes": '"',
    "brackets": "[",
    "objects": '{"a":',
    "elements": "<a",
    "escaped elements": "&lt;a",
    "keyed elements": " key='a'",
    "users of curl": "curl -u a",
    "options": "-a ",
    "options of secrets": "-password ",
    "dashes": "-",
    "named values": "name=a",
    "last words": ".pass",
    "bearers": "bearer ",
    "basic": "basic a",
    "web tokens": "eyJ",
    "signatures": "sig",
}


@pytest.mark.parametrize("part", BAD_FOR_A_REGEX.values(), ids=BAD_FOR_A_REGEX)
def test_a_large_value_takes_a_moment(part: str) -> None:
    text = part * (MEBIBYTE // 4 // len(part)) + " @ ="
    begun = time.process_time()
    POLICY.mask_json_text(text)
    POLICY.is_secret_name(text)
    assert time.process_time() - begun < 60  # a search that takes square time needs hours


SECRETS = st.text("ABCDEFGHJKLMNPQRSTUVWXYZ23456789+_!", min_size=12, max_size=30)
PATTERN_KEYS = st.builds(
    lambda before, pattern, after: before + pattern + after,
    st.text("abz._-", max_size=6),
    st.sampled_from([*DEFAULT_SECRET_PATTERNS, "sensitive."]).flatmap(
        lambda pattern: st.sampled_from([pattern, pattern.upper(), pattern.title()])
    ),
    st.text("abz._-", max_size=6),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abyz", max_size=4), inner, max_size=3),
    max_leaves=8,
)
WRAPPINGS = st.lists(st.sampled_from(["list", "object", "text", "twice"]), max_size=4)


@given(st.from_regex("[A-Za-z0-9_.,/-]{0,40}", fullmatch=True), st.sampled_from(["", *TOKENS]))
def test_a_word_is_searched_as_any_text_is(word: str, token: str) -> None:
    text = word + token
    assert is_word(text)
    assert POLICY.holds_secret(text) == POLICY.holds_secret(f"{text} ")


@given(SECRETS, PATTERN_KEYS, WRAPPINGS, JSON, st.booleans())
def test_a_secret_planted_under_a_pattern_never_survives(
    secret: str, key: str, wrappings: list[str], beside: object, ascii_only: bool
) -> None:
    text = json.dumps({"beside": beside, key: secret}, ensure_ascii=ascii_only)
    for wrapping in wrappings:
        text = {
            "list": f"[1, {text}]",
            "object": f'{{"x": {text}}}',
            "text": json.dumps([text], ensure_ascii=ascii_only),
            "twice": f'{{"x": {text}, "x": 1}}',
        }[wrapping]
    for masked in (POLICY.mask_json_text(text), POLICY.mask_text(text), POLICY.mask_text(f"{key}={secret}")):
        assert secret not in masked


@given(JSON)
def test_json_without_a_secret_stays_as_it_is(value: object) -> None:
    text = json.dumps(value, indent=1)
    assert POLICY.mask_json_text(text) == text or POLICY.holds_secret(text)


def test_a_fingerprint_is_found_in_any_data() -> None:
    fingerprint = SecretPolicy(b"k").fingerprint("hunter2")
    assert holds_fingerprint(b'{"value":"' + fingerprint.encode() + b'"}')
    assert not holds_fingerprint(fingerprint[:-1].encode())
    assert not holds_fingerprint(b"\xff")


BASIC = base64.b64encode(b"alice:hunter2").decode()
# put together here, so that no scanner takes this file for a leak
FORMS = [
    "-----BEGIN PRIVATE KEY-----\nMIIE\n",
    r"-----BEGIN EC PRIVATE KEY-----\nMIIE",
    "PuTTY-User-Key-File-3: ssh-ed25519",
    "Bearer hunter2",
    "bearer abcdefghijklmnopqrst",
    f"Basic {BASIC}",
    f"curl -H 'X: basic {BASIC}' host",
    "curl -s -u alice:hunter2 https://host",
    "curl --user 'alice:hunter2' https://host",
    "mysql -u root -phunter2 -h db orders",
    "mysqldump --opt -p'hunter2' orders",
    "sshpass -p hunter2 ssh host",
    "mongosh -u alice -p hunter2",
    "docker login -u alice -p hunter2 registry",
    "redis-cli -h cache -a hunter2 get x",
    "sqlcmd -S db -U sa -P hunter2",
    "ldapsearch -D cn=admin -w hunter2",
    "https://lake.blob.core.windows.net/c/b?sv=2022-11-02&sp=r&sig=Zm9v%3D",
    "sv=2022-11-02&sr=b&sig=Zm9v",
    "https://b.s3.amazonaws.com/k?X-Amz-Signature=abc",
    "https://storage.googleapis.com/b/o?X-Goog-Signature=abc",
    "https://alice:hunter2@host",
    "AKIA" + "Q" * 16,
    "AIza" + "a" * 35,
    "ghp_" + "a" * 36,
    "github_pat_" + "a" * 22,
    "glpat-" + "a" * 20,
    "xoxb-" + "1" * 12,
    "https://hooks.slack.com/services/" + "T" * 9 + "/" + "B" * 9 + "/" + "x" * 24,
    "sk_live_" + "a" * 24,
    "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiJhIn0.c2ln",
    "SG." + "a" * 22 + "." + "b" * 43,
    "npm_" + "a" * 36,
    "dapi" + "0" * 32,
    "hvs." + "a" * 24,
]
PLAIN_FORMS = [*GIVEN["texts without a secret form"], "hmac-sha256:" + "0" * 64]


@pytest.mark.parametrize("text", FORMS)
def test_a_secret_is_recognised_by_its_form(text: str) -> None:
    assert has_secret_form(text)
    assert has_secret_form(f"before {text} after")


@pytest.mark.parametrize("text", PLAIN_FORMS)
def test_other_texts_are_none(text: str) -> None:
    assert not has_secret_form(text)


RECORDED = CHECKOUT / "tests" / "recordings" / "A" / "coordinator.jsonl.gz"
SECRET_PAIRS = GIVEN["secrets by key and value"]
PLAIN_PAIRS = GIVEN["plain keys and values"]


@pytest.mark.parametrize(("key", "value"), SECRET_PAIRS)
def test_a_secret_is_recognised_by_its_name_or_a_name_within_it(key: str, value: str) -> None:
    assert POLICY.is_secret_name(key) or POLICY.holds_secret(value)


@pytest.mark.parametrize(("key", "value"), PLAIN_PAIRS)
def test_what_only_looks_similar_stays_readable(key: str, value: str) -> None:
    assert not POLICY.is_secret_name(key)
    assert not POLICY.holds_secret(value)


@pytest.mark.parametrize("name", [key for key, value in SECRET_PAIRS if value == "x"])
def test_a_secret_name_counts_wherever_text_is_masked(name: str) -> None:
    for text in (f"{name}=hunter2", f'{{"{name}": "hunter2"}}', f"<{name}>hunter2</{name}>", f"--{name} hunter2"):
        assert "hunter2" not in POLICY.mask_json_text(text)


def test_the_argument_of_an_option_is_hidden_and_what_is_beside_it_stays() -> None:
    masked = json.loads(POLICY.mask_json_text('["java", "--password", "hunter2", "-cp", "x.jar"]'))
    assert masked == ["java", "--password", POLICY.fingerprint("hunter2"), "-cp", "x.jar"]


def test_config_of_recorded_jobs_stays_readable() -> None:
    messages = [
        decode_message(decode_key(event.key), event.value)
        for _, event in read_recording(RECORDED)
        if event.key is not None and event.value is not None and b"set-config" in event.key
    ]
    assert len(messages) > 50
    shown = [
        message.key for message in messages if POLICY.is_secret_name(message.key) or POLICY.holds_secret(repr(message))
    ]
    assert shown == []


def test_names_that_end_with_a_word_are_secrets_whatever_the_patterns() -> None:
    names = SecretNames(())
    assert names.is_secret("db.pass")
    assert names.are_assigned_in("db.pass=x")
    assert not names.is_secret("db.password")
