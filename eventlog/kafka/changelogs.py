"""The changelogs of stores in a Kafka cluster."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from kafka.errors import BrokerResponseError, KafkaError, KafkaTimeoutError, RetriableError

from eventlog.kafka.client import Connected
from eventlog.kafka.options import KafkaOptions
from eventlog.kafka.patches import close_without_sending
from eventlog.kafka.producer import connect_producer
from eventlog.kafka.ranges import RangeReader
from eventlog.kafka.system_admin import KafkaSystemAdmin
from eventlog.log import AppendRefused
from eventlog.partition import SystemStreamPartition
from eventlog.source import APPEND_SECONDS, Closing, SourceUnavailable
from eventlog.system_admin import Change, InputMissing, SystemStreamPartitionMetadata

UNWRITTEN_BYTES: Final = 1 << 20
"""How many bytes of changes are kept before they are written."""

SILENCE_SECONDS: Final = 90.0
"""How long a read may return nothing: brokers abort a transaction whose producer has died after 60 s."""

_BATCH_BYTES: Final = 512 << 10
_LINGER_MS: Final = 20


class KafkaChangelogs(Closing):
    """See `Changelogs`. A context manager; connects when it is first used.

    Changes are kept by key until they are written, so that of several changes of a key only the last is written, and
    the changes of a failed `flush` are written by the next one. A change that brokers did not acknowledge in time may
    still arrive: the idempotent producer keeps sending it, and later changes follow it.
    """

    def __init__(self, options: KafkaOptions) -> None:
        self._options = options
        self._admin = KafkaSystemAdmin(options)
        self._producer: Connected | None = None
        self._reader = RangeReader(options, silence_seconds=SILENCE_SECONDS)
        self._unwritten: dict[SystemStreamPartition, dict[bytes, bytes | None]] = {}
        self._unwritten_bytes = 0

    def send(self, partition: SystemStreamPartition, key: bytes, value: bytes | None) -> None:
        """See `Changelogs.send`. Raises as `flush` does if enough changes have come together to write them."""
        self._unwritten.setdefault(partition, {})[key] = value
        self._unwritten_bytes += len(key) + len(value or b"")
        if self._unwritten_bytes >= UNWRITTEN_BYTES:
            self.flush()

    def flush(self) -> None:
        """See `Changelogs.flush`.

        Raises `AppendRefused`: the cluster rejects a change; `SourceUnavailable`: a change was not acknowledged; it may
        have been written.
        """
        if not self._unwritten:
            return
        with self._naming():
            self._write()
        self._unwritten.clear()
        self._unwritten_bytes = 0

    def discard(self, partition: SystemStreamPartition) -> None:
        """See `Changelogs.discard`. Raises `SourceUnavailable`: an earlier change is not acknowledged yet."""
        with self._naming():
            self._await_acknowledgements()
        self._unwritten.pop(partition, None)

    def reach(self, partition: SystemStreamPartition) -> SystemStreamPartitionMetadata:
        found = self._admin.get_system_stream_metadata([partition.stream])[partition.stream].partitions
        if partition.partition not in found:
            raise InputMissing(partition.stream, partition.partition, self._options.place)
        return found[partition.partition]

    def read(self, partition: SystemStreamPartition, first: int, until: int) -> Iterator[Sequence[Change]]:
        """See `Changelogs.read`; raises `StreamRefused` too: a record cannot be decoded."""
        for events in self._reader.read_partition(partition.stream, partition.partition, first, until):
            yield [Change(event.offset, event.key, event.value) for event in events if event.key is not None]

    def close(self) -> None:
        self._abandon_producer()
        self._reader.close()
        self._admin.close()

    @contextmanager
    def _naming(self) -> Iterator[None]:
        """Keep the producer after a timeout: what it has sent may arrive, and must not overwrite later changes."""
        try:
            yield
        except KafkaError as error:
            if not isinstance(error, KafkaTimeoutError):
                self._abandon_producer()
            names = ", ".join(sorted({partition.stream for partition in self._unwritten}))
            if isinstance(error, BrokerResponseError) and not isinstance(error, RetriableError):
                reason = f"its cluster rejected a change ({type(error).__name__.removesuffix('Error')})"
                raise AppendRefused(names, reason) from error
            text = f"{self._options.place} did not acknowledge changes in {names}. They are kept: flush again."
            raise SourceUnavailable(text) from error

    def _await_acknowledgements(self) -> None:
        """Return when nothing that was sent before is on its way."""
        if self._producer is not None:
            self._producer.client.flush(APPEND_SECONDS)

    def _write(self) -> None:
        self._await_acknowledgements()
        if self._producer is None:
            self._producer = connect_producer(self._options, batch_size=_BATCH_BYTES, linger_ms=_LINGER_MS)
        producer = self._producer.client
        sent = [
            producer.send(partition.stream, key=key, value=value, partition=partition.partition)
            for partition, changes in self._unwritten.items()
            for key, value in changes.items()
        ]
        self._await_acknowledgements()
        for future in sent:
            future.get(0)

    def _abandon_producer(self) -> None:
        if self._producer is not None:
            close_without_sending(self._producer.client, APPEND_SECONDS)
            self._producer = None
