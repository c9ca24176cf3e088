"""The columns of the data source, and how events become Arrow batches with some of them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

import pyarrow as pa
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from eventlog.errors import WireError
from eventlog.events import RecordedEvent, batches
from eventlog.messages import Delete
from eventlog.secret_policy import SecretPolicy
from eventlog.wire.coordinator import decode_message
from projections.fold.keys import KeyEntry
from projections.masked_events import MaskedEvents
from spark_jobs.data_source.log_range import OF_THE_LOG, Log
from spark_jobs.errors import SparkJobError
from spark_jobs.timestamps import spark_micros

_HEADERS: Final = pa.list_(pa.field("element", pa.struct([("key", pa.string()), ("value", pa.binary())])))
_ARROW: Final = pa.schema(
    {
        "stream_name": pa.string(),
        "stream_kind": pa.string(),
        "incarnation": pa.int32(),
        "log_offset": pa.int64(),
        "record_time": pa.timestamp("us", tz="UTC"),
        "key": pa.binary(),
        "value": pa.binary(),
        "headers": _HEADERS,
        "message_type": pa.string(),
        "message_key": pa.string(),
        "operation": pa.string(),
        "message_value": pa.string(),
    }
)
SCHEMA: Final = from_arrow_schema(_ARROW)

BATCH_EVENTS: Final = 20_000
BATCH_BYTES: Final = 64 << 20
"""The most events, and bytes of keys and values, in an Arrow batch that is made of events."""

_STORED: Final = ("log_offset", "record_time", "key", "value")


def columns_of(schema: StructType) -> tuple[str, ...]:
    """The names of the columns of a schema, which may be a part of `SCHEMA`. Raises SparkJobError for others."""
    for field in schema:
        if field.name not in SCHEMA.names or SCHEMA[field.name].dataType != field.dataType:
            known = ", ".join(f"{column.name} {column.dataType.simpleString()}" for column in SCHEMA)
            raise SparkJobError(
                f"coordinator_stream has no column '{field.name} {field.dataType.simpleString()}'. "
                f"Its columns: {known}."
            )
    return tuple(schema.fieldNames())


class EventColumns:
    """Makes Arrow batches of one log's events, with the given columns only.

    Decoded types, keys and operations are those of the relation `event`.
    """

    def __init__(self, names: Sequence[str], log: Log, secrets: SecretPolicy) -> None:
        self._names = names
        self._log = log
        self._schema = pa.schema([_ARROW.field(name) for name in names])
        self._masked = MaskedEvents(log.stream_kind, secrets)
        self._of_events: Mapping[str, Callable[[RecordedEvent], Any]] = {
            "log_offset": lambda event: event.offset,
            "record_time": lambda event: spark_micros(event.timestamp),
            "key": lambda event: event.key,
            "value": lambda event: event.value,
            "headers": _headers,
            "message_type": partial(self._meaning, "message_type"),
            "message_key": partial(self._meaning, "message_key"),
            "operation": self._operation,
            "message_value": self._message_value,
        }

    def batches(self, events: Iterable[RecordedEvent]) -> Iterator[pa.RecordBatch]:
        for some in batches(events, BATCH_EVENTS, BATCH_BYTES):
            yield pa.RecordBatch.from_arrays([self._column(name, some) for name in self._names], schema=self._schema)

    @property
    def are_stored(self) -> bool:
        """Whether the archive has the columns as they are: nothing is to be decoded."""
        return set(self._names) <= {*OF_THE_LOG, *_STORED}

    def stored_batch(self, stored: Mapping[str, pa.Array]) -> pa.RecordBatch:
        count = len(stored["log_offset"])
        arrays = [self._of_the_log(name, count) if name in OF_THE_LOG else stored[name] for name in self._names]
        return pa.RecordBatch.from_arrays(arrays, schema=self._schema)

    def _column(self, name: str, events: Sequence[RecordedEvent]) -> pa.Array:
        if name in OF_THE_LOG:
            return self._of_the_log(name, len(events))
        return pa.array(list(map(self._of_events[name], events)), _ARROW.field(name).type)

    def _of_the_log(self, name: str, count: int) -> pa.Array:
        return pa.repeat(pa.scalar(getattr(self._log, name), _ARROW.field(name).type), count)

    def _entry(self, event: RecordedEvent) -> KeyEntry | None:
        return None if event.key is None else self._masked.entry(event.key)

    def _meaning(self, name: str, event: RecordedEvent) -> Any:
        entry = self._entry(event)
        return None if entry is None else getattr(entry.meaning, name)

    def _operation(self, event: RecordedEvent) -> str:
        if event.value is None:
            return "delete"
        entry = self._entry(event)
        if entry is None or entry.task is not None or entry.meaning.is_other:
            return "set"
        if self._masked.is_plain_config(entry, event.value):
            return "set"
        return "delete" if _is_delete(entry, event.value) else "set"

    def _message_value(self, event: RecordedEvent) -> str | None:
        value = self._masked.mask(event).value
        return None if value is None else value.decode("utf-8", "backslashreplace")


def _headers(event: RecordedEvent) -> list[dict[str, Any]]:
    return [{"key": _header_name(name), "value": value} for name, value in event.headers]


def _header_name(name: str) -> str:
    """The name, with escapes for bytes of Kafka that are not UTF-8, and for other lone surrogates, as in recordings."""
    try:
        return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:
        return name.encode("utf-8", "backslashreplace").decode()


def _is_delete(entry: KeyEntry, value: bytes) -> bool:
    """Whether a value means that its key is deleted, as older writers did."""
    if entry.coordinator_key is None:
        return False
    try:
        return isinstance(decode_message(entry.coordinator_key, value), Delete)
    except WireError:
        return False
