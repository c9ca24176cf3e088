"""Events survive the conversion to Arrow and back, log by log."""

from datetime import UTC, date, datetime
from typing import Final

import pyarrow as pa
import pytest

from eventlog.events import RecordedEvent
from eventlog.postgres.archive import ArchivedEvents
from eventlog.timestamps import micros_of, ms_of_micros
from spark_jobs.lake.events import ARROW_SCHEMA, ArchivedEvent, logs_in, to_batch
from spark_jobs.lake.manifest import LogKey

ARCHIVED_AT: Final = micros_of(datetime(2026, 3, 4, 5, 6, 7, 8, tzinfo=UTC))
MS: Final = ms_of_micros(ARCHIVED_AT)
HEADERS: Final = (("a", b"\x00\xff"), ("b", None), ("c\0\ud800", b""))
EVENTS: Final = [
    ArchivedEvent(RecordedEvent(3, MS - 86_400_000, 0, b"k", b"v", HEADERS, 4), ARCHIVED_AT),
    ArchivedEvent(RecordedEvent(7, 2**62, 1, None, None), ARCHIVED_AT),
    ArchivedEvent(RecordedEvent(8, -1, 0, b"", b""), ARCHIVED_AT),
]
ORDERS: Final = LogKey("orders", 2)
COUNTS: Final = LogKey("counts", 1)


def page(events: list[ArchivedEvent]) -> ArchivedEvents:
    return ArchivedEvents([event for event, _ in events], [archived_at for _, archived_at in events])


def test_events_survive() -> None:
    batches = [
        to_batch(COUNTS, "coordinator", page(EVENTS[:1])),
        to_batch(ORDERS, "coordinator", page(EVENTS[:2])),
        to_batch(ORDERS, "coordinator", page(EVENTS[2:])),
    ]
    whole = pa.Table.from_batches(batches).combine_chunks().to_batches()
    for given in (batches, whole):
        assert [(key, list(events)) for key, events in logs_in(given)] == [(COUNTS, EVENTS[:1]), (ORDERS, EVENTS)]


def test_a_batch_without_events_has_the_columns() -> None:
    assert to_batch(ORDERS, "coordinator", page([])).schema == ARROW_SCHEMA


@pytest.mark.parametrize(
    ("timestamp", "day"),
    [
        (MS - 86_400_000, date(2026, 3, 3)),
        (MS + 3_600_000, date(2026, 3, 4)),
        (MS + 86_400_000, date(2026, 3, 4)),
        (-1, date(2026, 3, 4)),
        (2**62, date(2026, 3, 4)),
    ],
)
def test_an_absurd_time_counts_as_the_day_of_archiving(timestamp: int, day: date) -> None:
    batch = to_batch(
        ORDERS, "coordinator", page([ArchivedEvent(RecordedEvent(0, timestamp, 0, None, None), ARCHIVED_AT)])
    )
    assert batch.column("day").to_pylist() == [day]
