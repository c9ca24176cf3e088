"""How long the next records of tasks have been waiting, by the times of these records."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Final

from coordstream.cli.input_system import input_options, read_input_config
from coordstream.queries.rows import Row
from eventlog.errors import EventLogError
from eventlog.kafka.consumer_groups import GroupPartition
from eventlog.kafka.options import KafkaOptions
from eventlog.postgres.connection import Connection
from projections.job_choice import Job

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def add_record_times(connection: Connection, rows: Sequence[Row], given_servers: str | None) -> list[str]:
    """Set ``next_record_time`` and ``seconds_behind`` of rows of `task_lag` by reading the next record of each.

    Both are None where the next record is unknown; ``seconds_behind`` stays 0 where none is waiting. Return a sentence
    for each failure.
    """
    failures: list[str] = []
    waiting: dict[KafkaOptions, list[Row]] = defaultdict(list)
    config_of = cache(lambda job: read_input_config(connection, job))
    for row in rows:
        row["next_record_time"] = None
        if row["records_behind"]:
            row["seconds_behind"] = None
            try:
                config = config_of(Job(row["job_name"], row["job_id"]))
                waiting[input_options(config, row["system_name"], given_servers)].append(row)
            except EventLogError as error:
                failures.append(str(error))
    for cluster, behind in waiting.items():
        try:
            _read_times(cluster, behind)
        except EventLogError as error:
            failures.append(str(error))
    return [f"Cannot read the next records: {failure}" for failure in dict.fromkeys(failures)]


def _read_times(cluster: KafkaOptions, rows: Sequence[Row]) -> None:
    from eventlog.kafka.consumer_groups import read_record_times  # noqa: PLC0415 (loads kafka-python)

    for batch in _batches(rows):
        times = read_record_times(cluster, {each: _waiting(row) for each, row in batch.items()})
        for each, row in batch.items():
            if (time := _time(times[each])) is not None:
                _set_time(row, time)


def _batches(rows: Sequence[Row]) -> Iterator[dict[GroupPartition, Row]]:
    """The rows without a repeated partition: several tasks may read one."""
    left = list(rows)
    while left:
        batch: dict[GroupPartition, Row] = {}
        for row in left:
            batch.setdefault((row["stream_name"], row["partition_id"]), row)
        yield batch
        left = [row for row in left if batch[row["stream_name"], row["partition_id"]] is not row]


def _waiting(row: Row) -> range:
    """The offsets that a task has not read."""
    return range(row["end_offset"] - row["records_behind"], row["end_offset"])


def _time(ms: int | None) -> datetime | None:
    try:
        return None if ms is None else _EPOCH + timedelta(milliseconds=ms)
    except OverflowError:  # after the year 9999
        return None


def _set_time(row: Row, time: datetime) -> None:
    observed_at = datetime.fromisoformat(row["observed_at"])
    row["next_record_time"] = time.isoformat().replace("+00:00", "Z")
    row["seconds_behind"] = max(0, round((observed_at - time).total_seconds()))
