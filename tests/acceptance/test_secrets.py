"""Secrets planted everywhere: no relation, table, log line, error or export shows one; the archive has them all."""

import json
from collections.abc import Iterator
from typing import Final

import pytest

from eventlog.events import NewEvent
from eventlog.postgres.connection import Connection
from eventlog.secret_policy import DEFAULT_SECRET_PATTERNS, FINGERPRINT_PREFIX, SecretPolicy
from projections.fold.settings import FoldSettings
from tests.acceptance.imported_job import SETTINGS, ImportedJob
from tests.acceptance.test_ten_secrets import relation_rows
from tests.builders import checkpoint_v1, config_deleted, config_set, coordinator_key, raw

#: Everything planted holds this, so that one search finds a leak of any of them.
MARK: Final = "pl4ntedS3cret"
NEEDLES: Final = (MARK, MARK.encode().hex())

URLS: Final = (
    "jdbc:postgresql://app:{}@db:5432/orders",
    "https://user:{}@proxy.example/path?x=1",
    "redis://:{}@cache:6379/0",
    "mongodb+srv://app:{}@cluster.example",
    "kafka://one,amqp://two:{}@broker",
)


def _secret(name: object) -> str:
    return f"{MARK}-{name}"


def _by_pattern() -> Iterator[NewEvent]:
    for pattern in (*DEFAULT_SECRET_PATTERNS, "sensitive."):
        yield config_set(f"systems.db.{pattern}x", _secret(pattern))
        yield config_set(f"systems.db.{pattern.upper()}", _secret(pattern.upper()))
        yield config_set(f"{pattern}deleted", _secret(f"{pattern} deleted"))
        yield config_deleted(f"{pattern}deleted")


def _by_value() -> Iterator[NewEvent]:
    for n, url in enumerate(URLS):
        yield config_set(f"stores.s.endpoint{n}", url.format(_secret(n)))
    jaas = f'org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="{MARK}";'
    yield config_set("stores.s.login", jaas)
    yield config_set("stores.s.options", json.dumps({"user": "u", "password": MARK}))


def _others() -> Iterator[NewEvent]:
    yield raw(coordinator_key("set-future", "a"), json.dumps({"deep": [{"db.Password": MARK}]}).encode())
    nested = json.dumps({"config": json.dumps({"token": MARK})})
    yield raw(coordinator_key("set-future", "b"), nested.encode())
    yield raw(coordinator_key("set-future", "c"), f"no JSON, https://u:{MARK}@host".encode())
    yield raw(coordinator_key("set-future", "d.password"), MARK.encode())
    yield raw(coordinator_key("set-credentials", "e"), json.dumps({"value": MARK}).encode())
    yield raw(coordinator_key("set-future", f"https://u:{MARK}@host"), b"{}")
    yield raw(coordinator_key("set-migration-info", "m"), json.dumps({"values": {"api.key": MARK}}).encode())
    host = {"values": {"host": "h", "jmx-url": f"http://u:{MARK}@host:1"}}
    yield raw(coordinator_key("set-container-host-assignment", "0"), json.dumps(host).encode())


def _malformed() -> Iterator[NewEvent]:
    yield raw(coordinator_key("set-config", "db.password"), f'{{"values":{{"value":"{MARK}"'.encode())
    yield raw(coordinator_key("set-config", "db.password.b"), MARK.encode() + b"\xff")
    yield raw(coordinator_key("set-config", "db.password.c"), json.dumps({"values": {"value": [MARK]}}).encode())
    yield raw(coordinator_key("set-config", "db.password.d"), json.dumps({"values": {"value": f"{MARK}\0"}}).encode())
    yield raw(coordinator_key("set-config", "plain"), f"https://u:{MARK}@host".encode())
    yield raw(f'[1,"set-config","password={MARK}'.encode(), b"{}")
    yield raw(f"garbage https://u:{MARK}@host".encode(), b"{}")
    yield raw(f"password={MARK} ".encode() + b"\xff", b"{}")
    yield raw(None, json.dumps({"password": MARK}).encode())


def _coordinator_events() -> list[NewEvent]:
    return [*_by_pattern(), *_by_value(), *_others(), *_malformed()]


def _checkpoint_events() -> list[NewEvent]:
    return [
        raw(b'{"type":"checkpoint-v9","taskName":"t"}', json.dumps({"secret": MARK}).encode()),
        raw(f'{{"type":"checkpoint","password":"{MARK}"}}'.encode(), b"{}"),
        raw(checkpoint_v1("t").key, json.dumps({"token": MARK}).encode()),
        raw(f"https://u:{MARK}@host".encode(), b"garbage"),
    ]


@pytest.fixture
def planted(database: Connection, request: pytest.FixtureRequest) -> ImportedJob:
    """A job full of secrets, one for each test."""
    name = request.node.name.replace("_", "-")
    return ImportedJob(database, name, coordinator=_coordinator_events(), checkpoints=_checkpoint_events())


def _assert_hidden(what: str, text: str) -> None:
    found = [needle for needle in NEEDLES if needle in text]
    assert not found, f"{what} shows a secret"


def test_t27_no_column_of_a_table_or_relation_shows_a_secret(planted: ImportedJob) -> None:
    for row in relation_rows(planted.connection):
        _assert_hidden("A relation", row)


def test_every_planted_config_value_is_marked_as_sensitive(planted: ImportedJob) -> None:
    rows = planted.rows("config", "config_key, config_value, is_sensitive")
    with_nul = 1  # of a fingerprint Postgres holds every character
    assert len(rows) == 2 * (len(DEFAULT_SECRET_PATTERNS) + 1) + len(URLS) + 2 + with_nul
    assert all(value.startswith(FINGERPRINT_PREFIX) and is_sensitive for _, value, is_sensitive in rows)
    history = planted.rows("config_history", "is_sensitive, config_value", "operation = 'set'")
    assert all(is_sensitive and value.startswith(FINGERPRINT_PREFIX) for is_sensitive, value in history)


def test_other_values_stay_readable(planted: ImportedJob) -> None:
    job = ImportedJob(planted.connection, "no-secrets", coordinator=[config_set("a", "https://host:80/x@y")])
    assert job.config() == {"a": "https://host:80/x@y"}
    others = planted.rows("other_message", "message_key, message_value", "message_type = 'set-migration-info'")
    assert others == [("m", f'{{"values":{{"api.key":"{SETTINGS.secrets.fingerprint(MARK)}"}}}}')]


def test_a_fingerprint_changes_with_the_secret_and_only_then(database: Connection) -> None:
    values = ["one", "one", "two", "one"]
    job = ImportedJob(database, "changes", coordinator=[config_set("db.password", value) for value in values])
    one, same, two, again = (row[1] for row in job.rows("config_history", "log_offset, config_value"))
    assert one == same == again == SETTINGS.secrets.fingerprint("one")
    assert two == SETTINGS.secrets.fingerprint("two") != one
    other_key = FoldSettings(SecretPolicy(b"another installation"))
    elsewhere = ImportedJob(database, "elsewhere", coordinator=[config_set("db.password", "one")], settings=other_key)
    assert elsewhere.config()["db.password"] not in {one, two}


def test_quarantine_masks_the_text_of_a_key_that_can_be_read(database: Connection) -> None:
    key = f"https://u:{MARK}@host"
    job = ImportedJob(database, "masked-key", coordinator=[raw(coordinator_key("set-config", key), b"garbage")])
    assert job.rows("quarantine", "key_text") == [(SETTINGS.secrets.fingerprint(key),)]


def test_patterns_of_the_settings_count(database: Connection) -> None:
    settings = FoldSettings(SecretPolicy(b"key", ("passphrase",)))
    events = [config_set("my.PassPhrase", MARK), config_set("password", "shown"), config_set("sensitive.x", MARK)]
    job = ImportedJob(database, "patterns", coordinator=events, settings=settings)
    assert job.config()["password"] == "shown"
    _assert_hidden("config", repr(job.config()))
