"""What an executor does with ranges, apart from applying them (tests/projections/follow/test_delegated.py)."""

import pickle
from typing import Any

import pytest

from eventlog.kafka.options import KafkaOptions
from eventlog.postgres.connection import connect
from eventlog.source import OffsetLost
from projections.follow.delegated import Applied, Delegated
from spark_jobs.follow import executor
from spark_jobs.follow.executor import BATCH_OFFSETS, RangeResult, apply_ranges, plan_ranges
from spark_jobs.log_task import LogTaskSettings
from tests.fixtures.data_source import FOLD

PLANTED = "hunter2"


def applied(access: LogTaskSettings, *ranges: Delegated) -> list[RangeResult]:
    return list(apply_ranges(access, 0, ranges))


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
    access = LogTaskSettings(database_url, FOLD, KafkaOptions.parse("localhost:9092"))
    (result,) = applied(access, Delegated("__samza_coordinator_none_1", "id", 1, 0, 5))
    assert isinstance(result.error, OffsetLost)
    assert [each.closed for each in opened] == [True, True, True]


def test_an_unexpected_error_is_that_of_its_log_and_has_no_value(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Worker:
        def apply(self, wanted: Delegated) -> Applied:
            if wanted.stream_name == "broken":
                raise ZeroDivisionError(PLANTED)
            return Applied(3, wanted.next_offset, None)

    monkeypatch.setattr(executor, "_worker", lambda _: Worker())
    broken, orders = applied(
        LogTaskSettings("", FOLD), *(Delegated(name, "id", 1, 0, 3) for name in ("broken", "orders"))
    )
    assert (orders.applied.events, orders.error) == (3, None)
    assert str(broken.error).startswith("broken cannot be followed: unexpected error ZeroDivisionError in an")
    assert PLANTED.encode() not in pickle.dumps(broken)
    logged = capsys.readouterr().err
    assert "in apply" in logged
    assert PLANTED not in logged


LOG = Delegated("a", "id", 42, 0, 100, 7)


def test_a_log_is_read_from_its_position_on() -> None:
    assert plan_ranges({"a": LOG}, {"a": "id"}, {"a": 130}) == [Delegated("a", "id", 42, 100, 130, 7)]
    assert plan_ranges({"a": LOG}, {"a": "id"}, {"a": 100}) == []


def test_a_lost_log_gets_an_empty_range() -> None:
    for topic_ids, ends in (({"a": "other"}, {"a": 130}), ({"a": "id"}, {"a": 90}), ({}, {})):
        assert plan_ranges({"a": LOG}, topic_ids, ends) == [Delegated("a", "id", 42, 100, 100, 7)]


def test_logs_share_a_micro_batch() -> None:
    logs = {name: Delegated(name, "id", 42, 100, 100) for name in ("a", "b")}
    ranges = plan_ranges(logs, {"a": "id", "b": "id"}, {"a": 10**9, "b": 10**9})
    assert sum(one.next_offset - one.first_offset for one in ranges) == BATCH_OFFSETS
