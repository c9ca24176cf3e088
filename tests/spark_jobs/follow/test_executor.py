"""What an executor does with ranges, apart from applying them (tests/projections/follow/test_delegated.py)."""

from typing import Any

import pyarrow as pa
import pytest

from eventlog.kafka.options import KafkaOptions
from eventlog.postgres.connection import connect
from eventlog.source import OffsetLost
from spark_jobs.coordinator_stream.access import Access
from spark_jobs.follow import executor
from spark_jobs.follow.executor import ApplyRanges, RangeResult
from spark_jobs.follow.range_source import PlannedRange
from tests.spark_jobs.coordinator_stream.conftest import SECRETS


class Client:
    """Stands for a client of Kafka."""

    def __init__(self, *_: object) -> None:
        self.closed = False

    def read(self) -> None:
        raise AssertionError("an unknown log is not read")

    def close(self) -> None:
        self.closed = True


def test_an_error_is_a_result_after_which_nothing_stays_open(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Any] = []

    def noted(make: Any) -> Any:
        def open_and_note(*values: Any, **options: Any) -> Any:
            opened.append(make(*values, **options))
            return opened[-1]

        return open_and_note

    for name, make in (("KafkaAdmin", Client), ("RangeReader", Client), ("connect", connect)):
        monkeypatch.setattr(executor, name, noted(make))
    unknown = PlannedRange("__samza_coordinator_none_1", 1, "id", 1, 0, 5)
    apply = ApplyRanges(Access(SECRETS, database_url, KafkaOptions.parse("localhost:9092")))
    (rows,) = apply(iter([pa.RecordBatch.from_pylist([unknown._asdict()])]))
    with pytest.raises(OffsetLost):
        RangeResult(**rows.to_pylist()[0]).raise_error()
    assert [each.closed for each in opened] == [True, True, True]
