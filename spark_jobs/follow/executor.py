"""Plans the ranges of a micro-batch, and applies them in a Python process of an executor, which answers with counts."""

import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from typing import ClassVar, Final, NamedTuple

import psycopg

from eventlog.errors import EventLogError
from eventlog.kafka.admin import KafkaAdmin
from eventlog.kafka.options import require_brokers
from eventlog.kafka.ranges import RangeReader
from eventlog.log import system_clock
from eventlog.postgres.connection import connect
from projections.errors import ProjectionError
from projections.follow.delegated import Applied, Delegated, DelegatedWorker
from spark_jobs.errors import SparkJobError
from spark_jobs.log_task import LogTaskSettings

APPLICATION_NAME: Final = "coordstream spark executor"
BATCH_OFFSETS: Final = 500_000
"""The offsets of a micro-batch, shared by the streams that have news."""

_LOCK_TIMEOUT: Final = "set lock_timeout = '30s'"
_EXPECTED: Final = (EventLogError, ProjectionError, psycopg.Error)


class RangeResult(NamedTuple):
    """What an executor did with a range; nothing after an ``error``."""

    wanted: Delegated
    applied: Applied
    error: Exception | None = None


def plan_ranges(
    assigned: Mapping[str, Delegated], topic_ids: Mapping[str, str | None], ends: Mapping[str, int]
) -> list[Delegated]:
    """The next range of each stream with news, after the offset up to which it was assigned or applied.

    A stream whose topic is another one, or has no such offsets any more, gets an empty range.
    """
    ranges = []
    for name, log in assigned.items():
        first, end = log.next_offset, ends.get(name, -1)
        is_lost = end < first or topic_ids.get(name) != log.topic_id
        if is_lost or end > first:
            ranges.append(log._replace(first_offset=first, next_offset=first if is_lost else end))
    most = max(1, BATCH_OFFSETS // max(1, len(ranges)))
    return [one._replace(next_offset=min(one.next_offset, one.first_offset + most)) for one in ranges]


def apply_ranges(settings: LogTaskSettings, _task: int, ranges: Sequence[Delegated]) -> Iterator[RangeResult]:
    """Apply each range, in an executor; an error of one range is its result, and the others go on."""
    for wanted in ranges:
        try:
            result = RangeResult(wanted, _worker(settings).apply(wanted))
        except Exception as error:  # it would fail the query, and all logs with it
            _forget_worker()
            nothing = Applied(0, wanted.first_offset, None)
            result = RangeResult(wanted, nothing, _reported(wanted.stream_name, error))
        yield result


def _reported(stream_name: str, error: Exception) -> Exception:
    """The error for the driver. The message of an unexpected one stays here, since it may repeat a value."""
    if isinstance(error, _EXPECTED):
        return error
    kind = type(error).__name__
    print(f"Traceback of {kind}:\n{''.join(traceback.format_tb(error.__traceback__))}", file=sys.stderr)
    return SparkJobError(
        f"{stream_name} cannot be followed: unexpected error {kind} in an executor. "
        "Report the traceback in the log of the executor."
    )


class _Process:
    """What this process keeps from task to task."""

    worker: tuple[LogTaskSettings, DelegatedWorker] | None = None
    open: ClassVar[ExitStack] = ExitStack()


def _worker(settings: LogTaskSettings) -> DelegatedWorker:
    if _Process.worker is not None and _Process.worker[0] == settings:
        return _Process.worker[1]
    _forget_worker()
    kafka = require_brokers(settings.kafka)
    connection = _Process.open.enter_context(
        closing(connect(settings.database_url, application_name=APPLICATION_NAME, prepares=True))
    )
    connection.execute(_LOCK_TIMEOUT)
    admin = _Process.open.enter_context(closing(KafkaAdmin(kafka)))
    ranges = _Process.open.enter_context(closing(RangeReader(kafka, admin)))
    worker = DelegatedWorker(connection, ranges.read, settings.fold, system_clock)
    _Process.worker = settings, worker
    return worker


def _forget_worker() -> None:
    """Close all connections, which may be what failed: the next range opens new ones."""
    _Process.worker = None
    with suppress(Exception):
        _Process.open.close()
