"""The consumers with SQLAlchemy keep the newest offsets, and the history if they are to."""

import json

import pytest

from benchmarks.sqlalchemy_peers import Write, consume, write_core, write_orm
from eventlog.events import NewEvent
from eventlog.postgres.connection import connect
from tests.fixtures.kafka_topics import Topics

EVENTS = [
    NewEvent(b'[1,"set-config","job.name"]', b'{"values":{"value":"page-views"}}'),
    NewEvent(b'[1,"set-checkpoint","Partition 0"]', b'{"values":{"kafka.page-views.0":"10"}}'),
    NewEvent(b'[1,"set-checkpoint","Partition 0"]', b'{"values":{"kafka.page-views.0":"11"}}'),
    NewEvent(b'[1,"set-checkpoint","Partition 0"]', None),
]


@pytest.mark.parametrize("keeps_history", [False, True])
@pytest.mark.parametrize("write", [write_core, write_orm])
def test_the_first_events_of_a_topic_are_kept(
    empty_database_url: str, topics: Topics, write: Write, keeps_history: bool
) -> None:
    topics.create("checkpoints")
    topics.write("checkpoints", EVENTS)
    brokers = topics.bootstrap_servers
    assert consume(empty_database_url, brokers, "checkpoints", 4, write, keeps_history=keeps_history) > 0
    with connect(empty_database_url) as connection:
        current = connection.execute("select partition, input_offset, log_offset from checkpoint").fetchall()
        progress = connection.execute("select topic, next_offset from progress").fetchall()
        values = connection.execute("select value from event order by log_offset").fetchall()
        history = connection.execute("select log_offset, offsets from checkpoint_event order by log_offset").fetchall()
    assert current == [("kafka.page-views.0", "11", 2)]
    assert progress == [("checkpoints", 4)]
    assert values == ([(event.value,) for event in EVENTS] if keeps_history else [])
    written = [(offset, json.loads(EVENTS[offset].value or b"")["values"]) for offset in (1, 2)]
    assert history == (written if keeps_history else [])
