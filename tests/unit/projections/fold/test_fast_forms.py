"""The templates of checkpoints and of plain configs are a fast form of the full decoder, and compiled parts of them.

They make the rows that the full decoder makes, of every batch of events, and mask what masking in full masks.
"""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eventlog.checkpoint import CheckpointId, CheckpointV1, CheckpointV2
from eventlog.events import CREATE_TIME, EventColumns, RecordedEvent
from eventlog.masked_event import mask_event
from eventlog.partition import SystemStreamPartition, TaskName
from eventlog.state_markers import KAFKA_STATE_BACKEND_FACTORY, KafkaStateCheckpointMarker
from eventlog.streams import StreamKind
from eventlog.timestamps import MS_FROM_1970_TO_2000
from eventlog.wire.checkpoint_topic import KEY_TYPE_V1, KEY_TYPE_V2, CheckpointKey, encode_key, encode_v1, encode_v2
from projections import masked_events
from projections.fold import checkpoint_batch, checkpoint_template, checkpoints
from projections.fold.batch import BatchFold
from projections.fold.log_fold import LogFold
from projections.fold.message_bodies import PlainConfigs
from projections.fold.rows import CheckpointRow
from projections.masked_events import MaskedEvents
from tests.fixtures.compiled_parts import without_compiled_parts
from tests.fixtures.properties.generated_jobs import LONG, generate_job
from tests.fixtures.properties.importing import SETTINGS

ARCHIVED_AT: Final = 800_000_000_000_000
CHANGELOG: Final = SystemStreamPartition("kafka", "counts-changelog", 0)
SECRET: Final = "ghp_" + 36 * "a"
ODD: Final = [*":\x1e\x1f\0", "", "null", "-1", "007", "1e400", "a:b", "1-2:3", "1-02:3", "1-2:null", "9" * 19]
TEXTS: Final = (
    st.text(max_size=8) | st.sampled_from(ODD) | st.sampled_from(['q"q', "a,b", "}{", "\\u0031", "é", SECRET])
)
NUMBERS: Final = st.integers(0, 99).map(str) | st.integers(0, 10**18).map(str)
OFFSETS: Final = NUMBERS | NUMBERS | st.none() | TEXTS
NAMES: Final = st.sampled_from(["in", "page.views", "a b", "1", "offset", 'q"', "ü"])
PARTITIONS: Final = st.builds(SystemStreamPartition, st.just("kafka"), NAMES, st.integers(0, 5))
IDS: Final = st.builds(CheckpointId, st.integers(0, 2**40), st.integers(0, 999_999))
STATES: Final = st.integers(0, 99).map(str) | st.sampled_from(["null", "007", "x", ""])
MARKERS: Final[dict[str, Any]] = {
    "kafka": lambda state, _: KafkaStateCheckpointMarker(CHANGELOG, None if state == "null" else state).serialise(),
    "offset first": lambda state, number: (
        f'{{"changelog-offset":"{state}","version":1,'
        f'"changelog-ssp":{{"system":"k","partition":{number},"stream":"c","keyBucket":-1}}}}'
    ),
    "more fields": lambda state, number: (
        f'{{"n":"{SECRET if number > 9 else number}",' + MARKERS["kafka"](state, number).removeprefix("{")
    ),
    "other": lambda state, _: f"blob-{state}" if state != "null" else SECRET,
}
KEYS: Final[dict[int, Any]] = {
    0: lambda task: b'[1,"set-checkpoint","%b"]' % task.encode(),
    1: lambda task: encode_key(CheckpointKey(KEY_TYPE_V1, TaskName(task), "g")),
    2: lambda task: encode_key(CheckpointKey(KEY_TYPE_V2, TaskName(task), "g")),
}


@st.composite
def values(draw: st.DrawFn, version: int, names: Sequence[SystemStreamPartition], marker: str | None) -> bytes:
    """A checkpoint of a version over the given partitions, or those after them, with a state marker or without."""
    moved = draw(st.sampled_from([0, 0, 0, 1, 11]))
    read = [SystemStreamPartition(name.system, name.stream, name.partition + moved) for name in names]
    offsets = {name: draw(OFFSETS) for name in read}
    checkpoint_id, state = draw(IDS), draw(STATES)
    if version == 0:
        texts = {str(name): offset for name, offset in offsets.items()}
        envelope = {"host": "h", "source": draw(st.sampled_from(["c-0", "c-0", "c-1", SECRET])), "values": texts}
        time = draw(st.integers(0, 2**45) | st.sampled_from([-5, 10**17, None]))
        return json.dumps(envelope | {"username": "u", "timestamp": time}, separators=(",", ":")).encode()
    if version == 1:
        with_state = {} if marker is None else {CHANGELOG: f"{checkpoint_id}:{state}"}
        return encode_v1(CheckpointV1(offsets | with_state))
    stores = {} if marker is None else {"counts": MARKERS[marker](state, draw(st.integers(0, 12)))}
    written = {name: text or "" for name, text in offsets.items()}
    return encode_v2(CheckpointV2(checkpoint_id, written, {KAFKA_STATE_BACKEND_FACTORY: stores} if stores else {}))


@st.composite
def changed(draw: st.DrawFn, value: bytes) -> bytes:
    """The value, or one with other numbers, other bytes somewhere, or an end that is missing."""
    match draw(st.integers(0, 15)):
        case 0:
            return re.sub(rb"[0-9]+", lambda _: str(draw(st.integers(0, 12))).encode(), value)
        case 1:
            at = draw(st.integers(0, len(value)))
            return value[:at] + draw(st.binary(max_size=3)) + value[at:]
        case 2:
            return value[: draw(st.integers(0, len(value)))]
    return value


@st.composite
def configs(draw: st.DrawFn) -> bytes:
    fields = {"host": draw(TEXTS), "source": draw(TEXTS), "values": {"value": draw(TEXTS)}, "username": draw(TEXTS)}
    time = draw(st.integers(-5, 2**62) | st.sampled_from(["1", None, 1.5]))
    text = json.dumps(fields | {"timestamp": time}, separators=(",", ":"), ensure_ascii=draw(st.booleans()))
    return text.encode("utf-8", "surrogatepass")


@st.composite
def logs(draw: st.DrawFn) -> tuple[StreamKind, list[RecordedEvent]]:
    """Checkpoints of two tasks over mostly the same partitions, of one version or two, and configs between them."""
    kind: StreamKind = draw(st.sampled_from(["coordinator", "checkpoint"]))
    names = list(dict.fromkeys(draw(st.lists(PARTITIONS, max_size=3))))
    marker = draw(st.sampled_from([None, *MARKERS]))
    versions = [0] if kind == "coordinator" else draw(st.sampled_from([[1], [2], [1, 2]]))
    events = []
    for number in range(draw(st.integers(1, 12))):
        version = draw(st.sampled_from(versions))
        key, value = KEYS[version](draw(st.sampled_from(["t", "u"]))), draw(values(version, names, marker))
        if version == 0 and draw(st.booleans()):
            key, value = b'[1,"set-config","%b"]' % draw(st.sampled_from([b"a", b"password"])), draw(configs())
        ms = MS_FROM_1970_TO_2000 + draw(st.integers(-1_000_000, 10**12) | st.just(0))
        events.append(RecordedEvent(number, ms, CREATE_TIME, key, draw(changed(value))))
    return kind, events


def folded(events: Sequence[RecordedEvent], kind: StreamKind, size: int = 10_000) -> list[Any]:
    """All rows of the events, in batches of this size."""
    log = LogFold(1, kind, SETTINGS.secrets)
    made: list[Any] = []
    for first in range(0, len(events), size):
        fold, rows = BatchFold(log, ARCHIVED_AT), list[CheckpointRow]()
        fold.add(EventColumns.of(events[first : first + size]))
        fold.decode(rows.extend)
        batch = fold.checkpoints
        bodies = [row._replace(body=row.body and json.loads(row.body[1:])) for row in fold.messages]
        made.append(
            (sorted(rows), sorted(batch.envelopes), batch.suspects, batch.last_rows, bodies, fold.quarantine.rows)
        )
    return made


@contextmanager
def in_full() -> Iterator[None]:
    """Decode every value in full."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkpoint_batch, "learn", lambda *_: None)
        patch.setattr(PlainConfigs, "read", lambda *_: None)
        with without_compiled_parts():
            yield


def require_same(events: Sequence[RecordedEvent], kind: StreamKind, size: int) -> list[Any]:
    with in_full():
        expected = folded(events, kind, size)
    assert SECRET not in repr(expected)
    with without_compiled_parts():
        assert folded(events, kind, size) == expected
    assert folded(events, kind, size) == expected
    masked = MaskedEvents(kind, SETTINGS.secrets)
    assert [masked.mask(event) for event in events] == [mask_event(event, SETTINGS.secrets) for event in events]
    return expected


@settings(max_examples=300)
@given(logs(), st.integers(1, 12))
def test_every_form_makes_the_rows_of_the_full_decoder(log: tuple[StreamKind, list[RecordedEvent]], size: int) -> None:
    kind, events = log
    require_same(events, kind, size)


def written(version: int, *values: bytes) -> list[RecordedEvent]:
    keys = [KEYS[version](f"t{n % 2}") for n in range(len(values))]
    return [
        RecordedEvent(n, n, CREATE_TIME, key, value) for n, (key, value) in enumerate(zip(keys, values, strict=True))
    ]


def with_marker(offset: str, partition: int) -> bytes:
    """A V2 value with a marker whose offset does not come last, and may be equal to its partition."""
    markers = {KAFKA_STATE_BACKEND_FACTORY: {"s": MARKERS["offset first"](offset, partition)}}
    return encode_v2(CheckpointV2(CheckpointId(1, 2), {}, markers))


SAME: Final = b'{"host":"h","source":"s","values":{"k.in.%d":"%d","k.in.%d":"%d"},"username":"u","timestamp":5}'
WITH_ID: Final = b'{"checkpoint-id":"%b","input-offsets":{"k.in.0":"4"},"state-checkpoint-markers":{},"version":2}'


@pytest.mark.parametrize(
    ("version", "values"),
    [
        (0, [SAME % (1, 4, 2, 5), SAME % (3, 6, 3, 7), SAME % (3, 6, 3, 7), SAME % (1, 8, 2, 9)]),
        (0, [SAME % (3, 6, 3, 7), SAME % (1, 4, 2, 5), SAME % (3, 6, 3, 7), SAME % (1, 8, 2, 9)]),
        (2, [with_marker("3", 5), with_marker("12", 12), with_marker("2", 12), with_marker("7", 12)]),
        (2, [WITH_ID % text for text in (b"1-2", b"3-4", b"01-2", b"1-02", b"1-2000000", b"x-1", b"5-6", b"-1-2")]),
        (
            1,
            [
                b'{"p":{"system":"k","partition":"0","offset":"%b:7","stream":"in"}}' % text
                for text in (b"1-2", b"1-02", b"1-2")
            ],
        ),
    ],
)
def test_values_of_one_shape_that_mean_something_else(version: int, values: list[bytes]) -> None:
    for keys in (1, 2):
        events = [
            RecordedEvent(n, n, CREATE_TIME, KEYS[version](f"t{n % keys}"), value) for n, value in enumerate(values)
        ]
        require_same(events, "coordinator" if version == 0 else "checkpoint", 10)


def test_every_form_makes_the_rows_of_long_logs() -> None:
    suspects = 0
    for number in range(15):
        for log in generate_job(number, LONG).logs:
            kind: StreamKind = "checkpoint" if "checkpoint" in log.stream_name else "coordinator"
            suspects += sum(len(batch[2]) for batch in require_same(log.events, kind, 100))
    assert suspects > 100


ORDINARY: Final = {
    0: b'{"host":"h","source":"s","values":{"k.in.%d":"%d"},"username":"u","timestamp":5}',
    1: b'{"p":{"system":"k","partition":"%d","offset":"%d","stream":"in"}}',
    2: b'{"checkpoint-id":"1-2","input-offsets":{"k.in.%d":"%d"},"state-checkpoint-markers":{},"version":2}',
}


@pytest.mark.parametrize("version", ORDINARY)
def test_ordinary_values_are_decoded_once_a_shape(version: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first of each key to learn it, and the first of all with marks in it."""
    decoded: list[bytes] = []
    decode = checkpoints.decode_checkpoint

    def spy(*args: Any) -> Any:
        decoded.append(args[-1])
        return decode(*args)

    monkeypatch.setattr(checkpoint_template, "decode_checkpoint", spy)
    monkeypatch.setattr(checkpoint_batch, "decode_checkpoint", spy)
    values = [ORDINARY[version] % (n % 2, 10**n) for n in range(12)]
    folded(written(version, *values), "coordinator" if version == 0 else "checkpoint")
    assert len(decoded) == 3
    assert values[:2] == [value for value in decoded if value in values]


@pytest.mark.parametrize("text", [b"v, {w}", b"", b"1 2", b"[/a?b=c&d]"])
def test_a_plain_config_is_not_decoded_in_full(text: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    value = b'{"host":"h","source":"s","values":{"value":"%b"},"username":"u","timestamp":5}' % text
    events = [RecordedEvent(0, 0, CREATE_TIME, b'[1,"set-config","a"]', value)]
    monkeypatch.setattr(BatchFold, "_read_in_full", None)
    ((row,),) = (batch[4] for batch in folded(events, "coordinator"))
    assert row.body == {"config_value": text.decode()}


@pytest.mark.parametrize("version", ORDINARY)
def test_ordinary_values_are_masked_in_full_once_a_key(version: int, monkeypatch: pytest.MonkeyPatch) -> None:
    in_full = Mock(wraps=mask_event)
    monkeypatch.setattr(masked_events, "mask_event", in_full)
    events = written(version, *(ORDINARY[version] % (n % 2, 10**n) for n in range(12)))
    config = b'{"host":"h","source":"s","values":{"value":"b"},"username":"u","timestamp":%d}'
    events += [RecordedEvent(n, n, CREATE_TIME, b'[1,"set-config","a"]', config % n) for n in range(12, 20)]
    masked = MaskedEvents("checkpoint" if version else "coordinator", SETTINGS.secrets)
    assert [masked.mask(event) for event in events] == events
    expected = events[:2] + (events[12:13] if version == 0 else events[12:])
    assert [call.args[0] for call in in_full.call_args_list] == expected


@pytest.mark.parametrize("offset", ["8", "007", "x", "-9", "null"])
def test_an_offset_that_may_be_lower_is_a_suspect(offset: str) -> None:
    values = [ORDINARY[1].replace(b"%d", b"%b") % (b"0", text.encode()) for text in ("5", "9", "9", "10", offset, "11")]
    events = [RecordedEvent(n, n, CREATE_TIME, KEYS[1]("t"), value) for n, value in enumerate(values)]
    assert len(require_same(events, "checkpoint", 3)[1][2]) == (offset in {"8", "007", "-9"})


def test_a_checkpoint_of_the_first_moment_of_2000_may_be_unread() -> None:
    """The number of that time is 0, as stored."""
    values = [(1, ORDINARY[1] % (0, 1)), (2, ORDINARY[2] % (0, 1)), (1, ORDINARY[1] % (0, 2))]
    events = [
        RecordedEvent(n, MS_FROM_1970_TO_2000 + (n - 2) * 600_000, CREATE_TIME, KEYS[version]("t"), value)
        for n, (version, value) in enumerate(values)
    ]
    ((_, _, suspects, *_),) = require_same(events, "checkpoint", 3)
    assert [(suspect.log_offset, suspect.may_be_unread) for suspect in suspects] == [(1, True), (2, True)]
