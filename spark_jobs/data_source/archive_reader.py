"""Reads logs from the archive, without a JDBC driver.

Raw columns are read without making events: the server joins the values of many, and Arrow takes them as they are.
"""

import sys
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from eventlog.events import RecordedEvent
from eventlog.postgres.archive import horizon_offset, read_archive
from eventlog.postgres.connection import Connection, connect
from spark_jobs.data_source.columns import BATCH_EVENTS, EventColumns
from spark_jobs.data_source.log_range import Log, LogRange
from spark_jobs.errors import SparkJobError, database_errors
from spark_jobs.timestamps import LAST_MICROS, MICROS_FROM_1970_TO_2000

APPLICATION_NAME: Final = "coordstream spark"

_STREAMS: Final = "select distinct stream_name from eventlog.log"
_LOGS: Final = """
select l.stream_name, l.stream_kind, l.incarnation, l.log_id, coalesce(first.log_offset, 0),
       coalesce(last.log_offset + 1, 0),
       coalesce((select max(h.horizon_offset) from eventlog.horizon h where h.log_id = l.log_id), 0)
from eventlog.log l
left join lateral (
  select e.log_offset from eventlog.event e where e.log_id = l.log_id order by e.log_offset limit 1) first on true
left join lateral (
  select e.log_offset from eventlog.event e where e.log_id = l.log_id order by e.log_offset desc limit 1) last on true
where l.stream_name = any(%s)
order by l.stream_name, l.incarnation
"""

PAGE_EVENTS: Final = 4_000
"""Values of 20,000 events do not fit into the processor's cache: the server needs half as much time again."""

SMALL_KEY: Final = 300
SMALL_VALUE: Final = 3_000
"""In bytes. A page has no larger keys and values: their sum may be more than a value in Postgres can have."""

_NO_TIME: Final = -(2**63)
_PAGE: Final = """
select string_agg(int8send(log_offset), ''),
       string_agg(coalesce(timestamptz_send(record_time), int8send(%(no_time)s)), ''),
       string_agg(int4send(coalesce(octet_length(key), -1)), ''),
       coalesce(string_agg(key, '') filter (where octet_length(key) <= %(small_key)s), ''),
       string_agg(int4send(coalesce(octet_length(value), -1)), ''),
       coalesce(string_agg(value, '') filter (where octet_length(value) <= %(small_value)s), '')
from (select log_offset, record_time, key, value from eventlog.event
      where log_id = %(log_id)s and log_offset >= %(first)s and log_offset < %(until)s
      order by log_offset limit %(events)s) as event
"""


class ArchiveReader:
    """See `LogReader`. The logs are all incarnations of the streams."""

    place = "The archive"

    def __init__(self, database_url: str) -> None:
        with database_errors("the archive", "replayer"):
            self._connection: Connection = connect(database_url, application_name=APPLICATION_NAME)

    def logs(self, matches: Callable[[str], bool]) -> list[LogRange]:
        with database_errors("the archive", "replayer"):
            names = [name for (name,) in self._connection.execute(_STREAMS) if matches(name)]
            rows = self._connection.execute(_LOGS, (names,)).fetchall()
        return [
            LogRange(Log(name, kind, incarnation, log_id, horizon=horizon), first, until)
            for name, kind, incarnation, log_id, first, until, horizon in rows
        ]

    def read(self, wanted: LogRange) -> Iterator[RecordedEvent]:
        with database_errors("the archive", "replayer"):
            yield from read_archive(self._connection, wanted.log.log_id, wanted.first, wanted.until)
            self._require_same_horizon(wanted)

    def read_stored(self, wanted: LogRange, rows: EventColumns) -> Iterator[pa.RecordBatch]:
        """The rows of a range, whose columns the archive has. From a large key or value on, they are made of events."""
        with database_errors("the archive", "replayer"):
            pages, first = list[_Page](), wanted.first
            while first < wanted.until and (page := self._page(wanted, first)) is not None and page.is_complete:
                pages.append(page)
                first = int.from_bytes(page.offsets[-8:], "big", signed=True) + 1
                if sum(each.events for each in pages) >= BATCH_EVENTS:
                    yield rows.stored_batch(_columns(pages))
                    pages = []
            if pages:
                yield rows.stored_batch(_columns(pages))
            yield from rows.batches(self.read(wanted.within(first, wanted.until)))
            self._require_same_horizon(wanted)

    def _page(self, wanted: LogRange, first: int) -> "_Page | None":
        limits = {"first": first, "until": wanted.until, "events": PAGE_EVENTS, "no_time": _NO_TIME}
        small = {"small_key": SMALL_KEY, "small_value": SMALL_VALUE}
        values = {"log_id": wanted.log.log_id, **limits, **small}
        (row,) = self._connection.execute(_PAGE, values, binary=True).fetchall()
        return None if row[0] is None else _Page(*row)

    def _require_same_horizon(self, wanted: LogRange) -> None:
        """Raise SparkJobError if a retention may have detached events of the range after it was planned."""
        if wanted.log.horizon < horizon_offset(self._connection, wanted.log.log_id) > wanted.first:
            raise SparkJobError(
                f"A retention has detached events of {wanted.log.stream_name} while they were read. Read them again."
            )

    def close(self) -> None:
        self._connection.close()


class _Page(NamedTuple):
    """What a query returns: numbers of eight and lengths of four bytes, and the bytes that these lengths divide."""

    offsets: bytes
    times: bytes
    key_lengths: bytes
    keys: bytes
    value_lengths: bytes
    values: bytes

    @property
    def events(self) -> int:
        return len(self.offsets) // 8

    @property
    def is_complete(self) -> bool:
        return _are_all(self.key_lengths, self.keys) and _are_all(self.value_lengths, self.values)


def _columns(pages: Sequence[_Page]) -> Mapping[str, pa.Array]:
    joined = _Page(*map(b"".join, zip(*pages, strict=True)))
    return {
        "log_offset": _numbers(pa.int64(), joined.offsets),
        "record_time": _times(joined.times),
        "key": _binary(joined.key_lengths, joined.keys),
        "value": _binary(joined.value_lengths, joined.values),
    }


def _numbers(kind: pa.DataType, data: bytes) -> pa.Array:
    """Numbers of four or eight bytes in network byte order."""
    numbers = array("i" if kind == pa.int32() else "q", data)
    if sys.byteorder == "little":
        numbers.byteswap()
    return pa.Array.from_buffers(kind, len(numbers), [None, pa.py_buffer(numbers)])


def _sizes(lengths: pa.Array) -> pa.Array:
    return pc.max_element_wise(lengths, pa.scalar(0, pa.int32()))


def _are_all(lengths_data: bytes, data: bytes) -> bool:
    """Whether `data` has as many bytes as the lengths say."""
    return bool(pc.sum(_sizes(_numbers(pa.int32(), lengths_data))).as_py() == len(data))


def _times(data: bytes) -> pa.Array:
    micros = _numbers(pa.int64(), data)
    is_time = pc.and_(pc.not_equal(micros, _NO_TIME), pc.less_equal(micros, LAST_MICROS))
    since_1970 = pc.add(micros, MICROS_FROM_1970_TO_2000)  # which wraps
    buffers = [is_time.buffers()[1], since_1970.buffers()[1]]
    return pa.Array.from_buffers(pa.timestamp("us", tz="UTC"), len(micros), buffers)


def _binary(lengths_data: bytes, data: bytes) -> pa.Array:
    """Values that follow each other in `data`; a length of -1 is a null."""
    lengths = _numbers(pa.int32(), lengths_data)
    ends = pa.concat_arrays([pa.array([0], pa.int32()), pc.cumulative_sum(_sizes(lengths))])
    is_valid = pc.greater_equal(lengths, 0).buffers()[1]
    return pa.Array.from_buffers(pa.binary(), len(lengths), [is_valid, ends.buffers()[1], pa.py_buffer(data)])
