"""Which texts are secrets by their form.

Which names, and which values by what they name, are secrets: a table, and the config of a recorded job.
"""

import base64
import json
from pathlib import Path

import pytest

from eventlog.recording import read_recording
from eventlog.secret_policy import SecretPolicy
from eventlog.secret_texts import SecretNames, has_secret_form
from eventlog.wire.coordinator import decode_key, decode_message
from tests.checkout import CHECKOUT

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
GIVEN = json.loads(Path(__file__).with_name("secrets.json").read_text())
PLAIN_FORMS = [*GIVEN["texts without a secret form"], "hmac-sha256:" + "0" * 64]


@pytest.mark.parametrize("text", FORMS)
def test_a_secret_is_recognised_by_its_form(text: str) -> None:
    assert has_secret_form(text)
    assert has_secret_form(f"before {text} after")


@pytest.mark.parametrize("text", PLAIN_FORMS)
def test_other_texts_are_none(text: str) -> None:
    assert not has_secret_form(text)


POLICY = SecretPolicy(b"installation key")
RECORDED = CHECKOUT / "tests" / "recordings" / "A" / "coordinator.jsonl.gz"
SECRETS = GIVEN["secrets by key and value"]
PLAIN = GIVEN["plain keys and values"]


@pytest.mark.parametrize(("key", "value"), SECRETS)
def test_a_secret_is_recognised_by_its_name_or_a_name_within_it(key: str, value: str) -> None:
    assert POLICY.is_secret_name(key) or POLICY.holds_secret(value)


@pytest.mark.parametrize(("key", "value"), PLAIN)
def test_what_only_looks_similar_stays_readable(key: str, value: str) -> None:
    assert not POLICY.is_secret_name(key)
    assert not POLICY.holds_secret(value)


@pytest.mark.parametrize("name", [key for key, value in SECRETS if value == "x"])
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
