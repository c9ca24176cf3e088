"""A key is read once; every spelling of it has one text and a number of its own."""

import pytest

from eventlog.secrets.secret_policy import SecretPolicy
from eventlog.streams import StreamKind
from projections.fold.keys import KeyDictionary, KeyEntry

SECRETS = SecretPolicy(b"key")


def read(key: bytes, kind: StreamKind = "coordinator") -> KeyEntry:
    return KeyDictionary(kind, SECRETS).add(key)


def test_spellings_share_a_text_and_not_a_number() -> None:
    keys = KeyDictionary("coordinator", SECRETS)
    spellings = [
        b'[1,"set-task-partition-assignment","{\\"system\\":\\"k\\",\\"partition\\":0,\\"stream\\":\\"s\\",\\"keyBucket\\":-1}"]',
        b'[1,"set-task-partition-assignment","{\\"stream\\":\\"s\\",\\"system\\":\\"k\\",\\"partition\\":0}"]',
        b'[1, "set-task-partition-assignment", "{\\"stream\\":\\"s\\",\\"system\\":\\"k\\",\\"partition\\":0}"]',
    ]
    entries = [keys.add(key) for key in spellings]
    assert len({entry.meaning.message_key for entry in entries}) == 1
    assert [entry.key_id for entry in entries] == [1, 2, 3]
    assert [entry.key_id for entry, _ in keys.new] == [1, 2, 3]


def test_a_stored_number_is_given_again_and_new_ones_follow() -> None:
    first = KeyDictionary("coordinator", SECRETS)
    first.add(b'[1,"set-config","a"]')
    second = KeyDictionary("coordinator", SECRETS)
    for entry, key_sha256 in first.new:
        second.remember(key_sha256, entry.key_id)
    assert second.add(b'[1,"set-config","b"]').key_id == 2
    assert second.add(b'[1,"set-config","a"]').key_id == 1
    assert [entry.key_id for entry, _ in second.new] == [2]


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        (b"garbage", "not_json"),
        (b"", "empty"),
        (b"\xff", "not_utf8"),
        (b"{}", "wrong_type"),
        (b'[1,"set-config"]', "missing_field"),
        (b'[1,"set-config",null]', "wrong_type"),
        (b'[1,"set-config","a\\u0000"]', "nul"),
        (b'[1,"set-config","a\\ud800"]', "surrogate"),
        (b'[1,"set-task-partition-assignment","k.s.0"]', "not_json"),
        (b'[1,"samza-startpoint-v1","nowhere"]', "bad_partition"),
    ],
)
def test_an_unreadable_key_says_why(key: bytes, reason: str) -> None:
    error = read(key).meaning.error
    assert error is not None
    assert error.reason == reason


def test_a_startpoint_key_keeps_every_reading() -> None:
    readings = read(b'[1,"samza-startpoint-v1","k.s.1.2"]').meaning.readings
    assert [(str(reading.partition), reading.task_name) for reading in readings] == [("k.s.1.2", None), ("k.s.1", "2")]


@pytest.mark.parametrize(
    ("key", "kind", "version", "is_other", "is_sensitive"),
    [
        (b'[1,"set-config","db.password"]', "coordinator", None, False, True),
        (b'[1,"set-config","job.name"]', "coordinator", None, False, False),
        (b'[1,"set-checkpoint","t"]', "coordinator", 0, False, False),
        (b'[1,"SET-CONFIG","a"]', "coordinator", None, True, False),
        (b'[1,"samza-drain-v1","uuid"]', "coordinator", None, True, False),
        (
            b'{"systemstreampartition-grouper-factory":"G","taskName":"t","type":"checkpoint-v2"}',
            "checkpoint",
            2,
            False,
            False,
        ),
        (
            b'{"systemstreampartition-grouper-factory":"G","taskName":"t","type":"checkpoint-v9"}',
            "checkpoint",
            None,
            True,
            False,
        ),
    ],
)
def test_what_a_key_stands_for(
    key: bytes, kind: StreamKind, version: int | None, is_other: bool, is_sensitive: bool
) -> None:
    meaning = read(key, kind).meaning
    assert meaning.error is None
    assert (meaning.checkpoint_version, meaning.is_other, meaning.is_sensitive) == (version, is_other, is_sensitive)
