"""The checkpoints of a batch: the compiled part reads ordinary ones, and changes no row."""

import json
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventlog.checkpoint import CheckpointId, CheckpointV1, CheckpointV2
from eventlog.events import CREATE_TIME, EventColumns, RecordedEvent
from eventlog.partition import SystemStreamPartition
from eventlog.streams import StreamKind
from eventlog.timestamps import MS_FROM_1970_TO_2000
from eventlog.wire.checkpoint_topic import encode_v1, encode_v2
from projections.fold.batch import BatchFold
from projections.fold.log_fold import LogFold
from projections.fold.rows import CheckpointRow
from projections.fold.settings import FoldSettings
from tests.acceptance.import_until import LONG
from tests.fixtures.compiled_parts import without_compiled_parts
from tests.properties.generated_jobs import generate_job
from tests.properties.importing import SETTINGS

ARCHIVED_AT: Final = 800_000_000_000_000
KEY: Final = (
    b'{"systemstreampartition-grouper-factory":"org.apache.samza.container.grouper.stream.GroupByPartitionFactory",'
    b'"taskName":"Partition 0","type":"checkpoint"}'
)
ODD_OFFSETS: Final = [
    b"",
    b"null",
    b"007",
    b"-1",
    b"1e400",
    b"NaN",
    b"1-2:3",
    b"1-02:3",
    b":",
    b"9" * 19,
    b"\\ud800",
    b"\\u0031",
    b"\0",
    b"\x1e",
    b"\xff",
    b'"',
    b"}",
]
OFFSETS: Final = st.integers(0, 99).map(b"%d".__mod__) | st.sampled_from(ODD_OFFSETS)
VALUES: Final = st.tuples(OFFSETS, OFFSETS).map(
    b'{"SystemStreamPartition [k, in, 0]":{"system":"k","partition":"0","offset":"%b","stream":"in"},'
    b'"SystemStreamPartition [k, log, 0]":{"system":"k","partition":"0","offset":"1-2:%b","stream":"log"}}'.__mod__
)


def folded(events: list[RecordedEvent], kind: StreamKind, settings: FoldSettings, size: int) -> list[Any]:
    """All rows of checkpoints, of batches of this size."""
    log = LogFold(1, kind, settings.secrets)
    made: list[Any] = []
    for first in range(0, len(events), size):
        fold, rows = BatchFold(log, ARCHIVED_AT), list[CheckpointRow]()
        fold.add(EventColumns.of(events[first : first + size]))
        fold.decode(rows.extend)
        batch = fold.checkpoints
        made.append((sorted(rows), sorted(batch.envelopes), batch.suspects, batch.last_rows, fold.quarantine.rows))
    return made


@pytest.mark.parametrize("size", [7, 100, 10_000])
def test_both_ways_make_the_same_rows(size: int) -> None:
    suspects = 0
    for number in range(15):
        for log in generate_job(number, LONG).logs:
            kind: StreamKind = "checkpoint" if "checkpoint" in log.stream_name else "coordinator"
            with without_compiled_parts():
                plain = folded(log.events, kind, SETTINGS, size)
            assert folded(log.events, kind, SETTINGS, size) == plain
            suspects += sum(len(batch[2]) for batch in plain)
    assert suspects > 100


@given(st.lists(st.tuples(VALUES, st.integers(0, 2**53) | st.just(2**63 - 1)), max_size=12), st.integers(1, 12))
def test_both_ways_make_the_same_rows_of_odd_values(written: list[tuple[bytes, int]], size: int) -> None:
    events = [RecordedEvent(n, ms, CREATE_TIME, KEY, value) for n, (value, ms) in enumerate(written)]
    with without_compiled_parts():
        plain = folded(events, "checkpoint", SETTINGS, size)
    assert folded(events, "checkpoint", SETTINGS, size) == plain


@pytest.mark.parametrize("offset", ["8", "007", "x", "-9", "null"])
def test_an_offset_that_may_be_lower_is_a_suspect(offset: str) -> None:
    events = [checkpoint(n, text) for n, text in enumerate(["5", "9", "9", "10", offset, "11"])]
    with without_compiled_parts():
        plain = folded(events, "checkpoint", SETTINGS, 3)
    assert folded(events, "checkpoint", SETTINGS, 3) == plain
    assert len(plain[1][2]) == (offset in {"8", "007", "-9"})


@pytest.mark.parametrize("ms", [-5, -(10**15), 0, 10**17, None])
def test_the_time_of_an_envelope_is_stored_if_it_can_be(ms: int | None) -> None:
    """Of values with a space before it, the time is a part of the template."""
    value = '{"host":"h","source":"s","values":{"k.in.0":"%d"},"username":"u","timestamp": %s}'
    texts = [value % (offset, json.dumps(ms)) for offset in range(1, 5)]
    events = [
        RecordedEvent(n, n, CREATE_TIME, b'[1,"set-checkpoint","t"]', text.encode()) for n, text in enumerate(texts)
    ]
    with without_compiled_parts():
        plain = folded(events, "coordinator", SETTINGS, 2)
    assert folded(events, "coordinator", SETTINGS, 2) == plain
    assert [row.message_time is None for batch in plain for row in batch[1]] == [ms not in {-5, 0}] * 4


def checkpoint(log_offset: int, offset: str) -> RecordedEvent:
    value = encode_v1(CheckpointV1({SystemStreamPartition("kafka", "in", 0): offset}))
    return RecordedEvent(log_offset, 1_750_000_000_000 + log_offset, CREATE_TIME, KEY, value)


def test_a_checkpoint_of_the_first_moment_of_2000_may_be_unread() -> None:
    """The number of that time is 0, as stored."""
    version_2 = KEY.replace(b'"checkpoint"', b'"checkpoint-v2"')
    value = encode_v2(CheckpointV2(CheckpointId(1, 2), {SystemStreamPartition("kafka", "in", 0): "1"}, {}))
    times = [MS_FROM_1970_TO_2000 + minutes * 60_000 for minutes in (-20, -10, 0)]
    events = [
        RecordedEvent(0, times[0], CREATE_TIME, KEY, checkpoint(0, "1").value),
        RecordedEvent(1, times[1], CREATE_TIME, version_2, value),
        RecordedEvent(2, times[2], CREATE_TIME, KEY, checkpoint(2, "2").value),
    ]
    with without_compiled_parts():
        plain = folded(events, "checkpoint", SETTINGS, 3)
    assert folded(events, "checkpoint", SETTINGS, 3) == plain
    assert [(suspect.log_offset, suspect.may_be_unread) for suspect in plain[0][2]] == [(1, True), (2, True)]
