"""New events are divided into parts that tasks read. Needs no Spark."""

from eventlog.postgres.connection import connect
from spark_jobs.lake.manifest import LogKey
from spark_jobs.lake.writer import NewEvents, Part, parts_of
from tests.builders import config_set, recorded
from tests.properties.importing import import_events

STREAM = "__samza_coordinator_orders_1"


def test_a_part_has_at_most_so_many_bytes_and_one_event(database_url: str) -> None:
    sizes = [1, 1, 1, 5_000, 1, 1]
    events = recorded([config_set("a", "x" * size) for size in sizes])
    with connect(database_url) as connection:
        import_events(connection, STREAM, events)
        ((log_id,),) = connection.execute("select log_id from eventlog.log").fetchall()
        new = NewEvents(log_id, LogKey(STREAM, 1), "coordinator", 1, len(events))
        empty = new._replace(first=100, until=200)
        parts = parts_of(connection, [empty, new], 1_000)
        assert [(part.events.first, part.events.until) for part in parts] == [(1, 3), (3, 5), (5, 6)]
        assert [part.size > 1_000 for part in parts] == [False, True, False]
        assert parts[1].size < 1_000 + 5_500
        ((whole, size),) = parts_of(connection, [new])
        assert (whole, size) == (new, sum(part.size for part in parts))
    assert isinstance(parts[0], Part)
