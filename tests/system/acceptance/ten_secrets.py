"""Ten secrets, each with the rule that catches it, one everywhere else, and every form in which one could leak."""

import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from eventlog.events import NewEvent
from tests.builders import checkpoint_v1, config_deleted, config_set, coordinator_key, raw

PLACEMENT: Final = "samza-place-container-v1"


@dataclass(frozen=True)
class Planted:
    """A secret, where it stands. ``words`` are its texts, several where it was changed: letters and digits alone."""

    rule: str
    words: tuple[str, ...]
    events: tuple[NewEvent, ...]


def _word(number: int, letter: str = "") -> str:
    return f"pl4nted{number:02}{letter}S3cret"


def _with_signs(word: str) -> str:
    """The secret with what JSON, URLs and SQL escape, so that no form is found just because it is plain."""
    return f'"{word}" ä/+%&\\'


def _changed(key: str, words: tuple[str, ...]) -> tuple[NewEvent, ...]:
    return tuple(config_set(key, _with_signs(word)) for word in words)


THRICE: Final = tuple(_word(8, letter) for letter in "abc")
REPLY: Final = {
    "processorId": "0",
    "deploymentId": "d",
    "subType": "ContainerPlacementResponseMessage",
    "responseMessage": f"could not start: password={_word(9)}",
    "uuid": "12345678-90ab-cdef-8000-000000000000",
    "destinationHost": "ANY_HOST",
    "statusCode": "BAD_REQUEST",
    "timestamp": 1_700_000_000_100,
}

TEN: Final = (
    Planted("a key's pattern", (_word(1),), _changed("systems.db.password", (_word(1),))),
    Planted(
        "a DSN under an innocent key",
        (_word(2), _word(2, "t")),
        (
            config_set("stores.s.endpoint", f"jdbc:postgresql://app:{_word(2)}@db:5432/orders"),
            config_set("stores.s.errors", f"https://{_word(2, 't')}@errors.example/1"),
        ),
    ),
    Planted(
        "a pattern key in JSON",
        (_word(3),),
        (config_set("stores.s.options", json.dumps({"user": "u", "deep": [{"db.Token": _with_signs(_word(3))}]})),),
    ),
    Planted(
        "base64 under a pattern key",
        (_word(4),),
        (config_set("ssl.private.key", b64encode(_with_signs(_word(4)).encode()).decode()),),
    ),
    Planted(
        "a record of a pattern key that can't be read",
        (_word(5),),
        (raw(coordinator_key("set-config", "db.passwd"), f'{{"values":{{"value":"{_word(5)}"'.encode()),),
    ),
    Planted(
        "a pattern field of an unknown message",
        (_word(6),),
        (raw(coordinator_key("set-future", "a"), json.dumps({"deep": {"apiKey": _with_signs(_word(6))}}).encode()),),
    ),
    Planted(
        "one that was deleted",
        (_word(7),),
        (*_changed("sensitive.thing", (_word(7),)), config_deleted("sensitive.thing")),
    ),
    Planted("one changed twice", THRICE, _changed("db.credentials", THRICE)),
    Planted(
        "a container placement message",
        (_word(9),),
        (
            raw(
                coordinator_key(PLACEMENT, f"{REPLY['uuid']}.ContainerPlacementResponseMessage"),
                json.dumps(REPLY).encode(),
            ),
        ),
    ),
    Planted("an export", (_word(10),), (config_set("sasl.jaas.config", f'Login required password="{_word(10)}";'),)),
)

MARK: Final = _word(11)


def _json(value: object) -> bytes:
    return json.dumps(value).encode()


def _raw(message_type: str, key: str, value: bytes) -> NewEvent:
    return raw(coordinator_key(message_type, key), value)


ELSEWHERE: Final = Planted(
    "wherever else one may stand, also where it cannot be read",
    (MARK,),
    (
        *(
            config_set(f"stores.s.endpoint{number}", url.format(MARK))
            for number, url in enumerate(
                ("redis://:{}@cache:6379/0", "mongodb+srv://app:{}@cluster.example", "kafka://one,amqp://two:{}@broker")
            )
        ),
        _raw("set-future", "b", _json({"config": json.dumps({"token": MARK})})),
        _raw("set-future", "c", f"no JSON, https://u:{MARK}@host".encode()),
        _raw("set-future", "d.password", MARK.encode()),
        _raw("set-credentials", "e", _json({"value": MARK})),
        _raw("set-future", f"https://u:{MARK}@host", b"{}"),
        _raw("set-migration-info", "m", _json({"values": {"api.key": MARK}})),
        _raw("set-container-host-assignment", "0", _json({"values": {"host": "h", "jmx-url": f"http://u:{MARK}@h:1"}})),
        _raw("set-config", "db.password.b", MARK.encode() + b"\xff"),
        _raw("set-config", "db.password.c", _json({"values": {"value": [MARK]}})),
        _raw("set-config", "db.password.d", _json({"values": {"value": f"{MARK}\0"}})),
        _raw("set-config", "plain", f"https://u:{MARK}@host".encode()),
        raw(f'[1,"set-config","password={MARK}'.encode(), b"{}"),
        raw(f"garbage https://u:{MARK}@host".encode(), b"{}"),
        raw(f"password={MARK} ".encode() + b"\xff", b"{}"),
        raw(None, _json({"password": MARK})),
    ),
)

WORDS: Final = tuple(word for planted in (*TEN, ELSEWHERE) for word in planted.words)


def events(plain: int = 0) -> list[NewEvent]:
    """All of them on a coordinator stream, after a number of other settings."""
    settings = [config_set(f"plain.{number}", str(number)) for number in range(plain)]
    return [*settings, *(event for planted in (*TEN, ELSEWHERE) for event in planted.events)]


def checkpoints() -> list[NewEvent]:
    """A checkpoint, and records of the same topic that hold a secret."""
    return [
        checkpoint_v1("Task 0"),
        checkpoint_v1("Task 1", {"sftp.in.0": f"sftp://me:{MARK}@host/f.csv"}),
        raw(b'{"type":"checkpoint-v9"}', _json({"token": _word(6)})),
        raw(f'{{"type":"checkpoint","password":"{MARK}"}}'.encode(), b"{}"),
        raw(checkpoint_v1("t").key, _json({"token": MARK})),
        raw(f"https://u:{MARK}@host".encode(), b"garbage"),
    ]


def forms(word: str) -> Iterator[str]:
    """A word as it could be written: plain, base64 wherever it stands in a text, hex, escaped for JSON and for URLs."""
    data = word.encode()
    yield word
    for before in range(3):
        first, last = -(-before * 8 // 6), (before + len(data)) * 8 // 6  # what lies between is the word's alone
        padded = bytes(before) + data
        yield b64encode(padded)[first:last].decode()
        yield urlsafe_b64encode(padded)[first:last].decode()
    yield data.hex()
    yield data.hex().upper()
    yield "".join(f"\\u{letter:04x}" for letter in data)
    yield "".join(f"%{letter:02X}" for letter in data)


FORMS: Final = {form: word for word in WORDS for form in forms(word)}


def shown(text: str) -> list[str]:
    """Which words a text shows, in whatever form."""
    return sorted({word for form, word in FORMS.items() if form in text})
