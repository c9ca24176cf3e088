"""Batches whose records have any offsets: brokers accept them from a broken or hostile producer."""

from collections.abc import Callable
from typing import Any

import pytest
from kafka.record.default_records import DefaultRecordBatchBuilder

from eventlog.kafka.options import KafkaOptions
from eventlog.kafka.source import KafkaSource
from eventlog.masked_event import mask_event
from eventlog.postgres.archive import read_archive
from eventlog.postgres.connection import connect
from eventlog.streams import coordinator_stream_name
from projections.follow.follow_run import FollowPlan
from projections.tracked_logs import logs_of
from projections.verify import verify_log
from tests.builders import config_set
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.projections.follow.running import following, run, wait_for_position
from tests.fixtures.properties.importing import SETTINGS

pytestmark = pytest.mark.slow

CONFIG = "select config_key, config_value from coordinator.config order by 1"
QUARANTINE = "select log_offset, reason, detail from coordinator.quarantine"


def with_offsets(*deltas: int) -> Callable[..., Any]:
    """A way to append a record to a batch at other offsets after the batch's first."""
    append = DefaultRecordBatchBuilder.append

    def append_elsewhere(builder: Any, number: int, *fields: Any) -> Any:
        made = append(builder, deltas[number], *fields)
        builder._last_offset = number
        return made

    return append_elsewhere


@pytest.mark.parametrize("is_live", [True, False])
@pytest.mark.parametrize("deltas", [(0, 1_000_000), (0, 0), (1, 0), (-5, 1), (0, 2**31 - 1)], ids=str)
def test_they_are_set_aside_and_the_rest_goes_on(
    database_url: str,
    topics: Topics,
    kafka_options: KafkaOptions,
    job_name: str,
    monkeypatch: pytest.MonkeyPatch,
    deltas: tuple[int, int],
    is_live: bool,
) -> None:
    name = topics.create(coordinator_stream_name(job_name))

    def write() -> None:
        topics.write(name, [config_set("a", "1")])
        with monkeypatch.context() as patch:
            patch.setattr(DefaultRecordBatchBuilder, "append", with_offsets(*deltas))
            topics.write(name, [config_set("a", "2"), config_set("db.password", "hunter2")])
        topics.write(name, [config_set("c", "4")])

    with connect(database_url) as connection, KafkaSource(kafka_options) as source:
        if is_live:
            with following(database_url, source, FollowPlan((name,))) as running:
                write()
                wait_for_position(connection, name, 4)
            assert running.messages == []
        else:
            write()
        run(database_url, source, FollowPlan((name,), once=True))
        assert connection.execute(CONFIG.encode()).fetchall() == [("a", "1"), ("c", "4")]
        detail = "the offsets of the records in the batch of offsets 1 to 2 do not increase within it"
        assert connection.execute(QUARANTINE.encode()).fetchall() == [(1, "bad_batch", detail)]
        (log,) = logs_of(connection, name)
        assert log.next_offset == 4
        (kept,) = read_archive(connection, log.log_id, 1, 2)
        assert b"hunter2" in (kept.value or b"")
        assert b"hunter2" not in (mask_event(kept, SETTINGS.secrets).value or b"")
        assert verify_log(connection, log, SETTINGS).is_equal
