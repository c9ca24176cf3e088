"""Steered jobs where the settings say: their logs, the brokers of their inputs, and a consumer without Spark."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, Final

from coordstream.errors import CoordstreamError
from coordstream.event_logs import open_job_record
from coordstream.input_system import OpenInputs, input_options
from eventlog.config import require_strings
from eventlog.errors import NO_LIST
from eventlog.events import RecordedEvent
from eventlog.partition import SystemStreamPartition
from eventlog.postgres.connection import Connection
from eventlog.postgres.sink_position import SinkPosition
from managers.errors import NotReady
from managers.steered.job_record import STEERED
from managers.steered.steered_job import Committed, JobTakenOver, OpenJob, SteeredBatch, SteeredJob

if TYPE_CHECKING:
    from eventlog.kafka.ranges import RangeReader

Record = tuple[SystemStreamPartition, RecordedEvent]


@contextmanager
def open_steered(word: str, inputs: Sequence[str], config: Mapping[str, str]) -> Iterator[OpenJob]:
    """Open the job ``NAME/ID`` or ``NAME``, and its inputs, such as ``kafka.clicks``; create its streams if missing.

    The brokers of a system are those of ``systems.<system>.consumer.bootstrap.servers`` in ``config``, or else of the
    settings. Raises `CoordstreamError`: an input is invalid; `ConfigError`: a value in ``config`` is not a string;
    `InputUnknown`: a system cannot be reached; `InputMissing`; `JobOfAnotherProgram`.
    """
    require_strings(config)
    if isinstance(inputs, str):
        raise CoordstreamError(NO_LIST.format("inputs", inputs))
    streams = [_parse(word) for word in inputs]
    if not streams:
        raise CoordstreamError("The job has no inputs. Expected names such as kafka.clicks.")
    systems = sorted({system for system, _ in streams})
    brokers = {system: input_options(config, system, None) for system in systems}
    given = {**config, "task.inputs": ",".join(inputs)}
    with ExitStack() as stack:
        opened = stack.enter_context(OpenInputs(reads_committed=True))
        admins = {system: opened.admin(config, system) for system in systems}
        for system, admin in admins.items():  # a job whose inputs are missing creates no streams
            admin.get_system_stream_metadata([stream for one, stream in streams if one == system])
        record = stack.enter_context(open_job_record(word, source=STEERED))
        yield OpenJob(SteeredJob(record, admins, streams, given), brokers)


def _parse(word: str) -> tuple[str, str]:
    system, _, stream = word.partition(".")
    if not system.strip() or not stream.strip():
        raise CoordstreamError(f"Invalid input {word!r}. Expected SYSTEM.STREAM, for example kafka.clicks.")
    return system, stream


class ConsumedBatch:
    """Records of a job's inputs, in the order of each partition, and their commit."""

    def __init__(
        self, job: SteeredJob, batch: SteeredBatch, records: Iterator[Record], commit: Callable[[Connection], None]
    ) -> None:
        self.batch: Final = batch
        self.is_committed = False
        self._job = job
        self._records = records
        self._commit = commit

    def __iter__(self) -> Iterator[Record]:
        """The partition and the event of each record. They are read once."""
        return self._records

    def commit(self, connection: Connection) -> None:
        """Move the job's position in the transaction of the output, commit it, and write the checkpoint.

        Raises `JobTakenOver`, after a rollback: another copy of the job has started; ValueError: the connection commits
        each statement by itself.
        """
        if connection.autocommit:
            raise ValueError("the connection is in autocommit mode: output and position need one transaction")
        self._commit(connection)
        self._job.record(self.batch)
        self.is_committed = True


class SteeredConsumer:
    """Reads topics in batches, for jobs too small for Spark; the output in Postgres is written exactly once.

    >>> with psycopg.connect(url) as connection:
    ...     for batch in SteeredConsumer(connection, job="clicks/1", inputs=["kafka.clicks"], available_now=True):
    ...         for partition, event in batch:
    ...             connection.execute("insert into clicks values (%s, %s)", (event.key, event.value))
    ...         batch.commit(connection)

    Startpoints and checkpoints on the job's log decide where it starts, as for `coordstream.spark.SteeredStream`.
    """

    def __init__(
        self,
        connection: Connection,
        *,
        job: str,
        inputs: Sequence[str],
        config: Mapping[str, str] | None = None,
        max_records: int = 1_000,
        available_now: bool = False,
        interval: float = 1.0,
    ) -> None:
        """``connection`` is to the database of the output. ``interval``: how long to wait, in seconds, for records.

        With ``available_now``, iteration ends at the current ends of the inputs.
        """
        self._connection = connection
        self._job = job
        self._inputs = inputs
        self._config = dict(config or {})
        self._max_records = max_records
        self._available_now = available_now
        self._interval = interval
        self._stopping = Event()

    def stop(self) -> None:
        """Let the iteration end before the next batch. Also from another thread, or a signal handler."""
        self._stopping.set()

    def __iter__(self) -> Iterator[ConsumedBatch]:
        """Take the job over, and yield its batches. Each has to be committed before the next one.

        Raises `NotReady`: a batch was not committed; and what `open_steered` and `SteeredJob` raise.
        """
        with ExitStack() as stack:
            stack.callback(self._stopping.clear)
            opened = stack.enter_context(open_steered(self._job, self._inputs, self._config))
            from eventlog.kafka.ranges import RangeReader  # noqa: PLC0415 (loads kafka-python)

            readers = {system: stack.enter_context(RangeReader(each)) for system, each in opened.brokers.items()}
            job = opened.steered
            position = SinkPosition(job.job_name, job.job_id)
            for batch in job.batches(
                lambda _: Committed.of_json(*position.take(self._connection)[:2]),
                lambda start: _commit(position, start, self._connection),
                self._max_records,
                self._stopping,
                interval=None if self._available_now else self._interval,
            ):
                consumed = ConsumedBatch(job, batch, _read(readers, batch), partial(_commit, position, batch))
                yield consumed
                if not consumed.is_committed:
                    raise NotReady(f"batch {batch.number} of job {batch.job}", "is not committed", "call its commit")


def _commit(position: SinkPosition, batch: SteeredBatch, connection: Connection) -> None:
    if not position.move(connection, batch.number, batch.places_json()):
        connection.rollback()
        holder = position.other_holder(connection)
        connection.rollback()
        raise JobTakenOver(batch.job, holder)
    connection.commit()


def _read(readers: Mapping[str, "RangeReader"], batch: SteeredBatch) -> Iterator[Record]:
    for partition, offsets in batch.ranges.items():
        found = readers[partition.system].read_partition(
            partition.stream, partition.partition, offsets.start, offsets.stop
        )
        for events in found:
            for event in events:
                yield partition, event
