"""Several processes replay streams from memory: how the streams are distributed, and that all events are imported."""

from typing import Final

import pytest

from benchmarks.generator import generate
from benchmarks.parallel_replay import replay_by_processes, shares_of
from benchmarks.replay import Streams
from benchmarks.replay_figures import generated_streams
from eventlog.postgres.connection import connect

_ARCHIVED: Final = "select stream_name, count(*) from eventlog.event join eventlog.log using (log_id) group by 1"


def streams_of(sizes: dict[str, int]) -> Streams:
    events = [event for _, event in generate(max(sizes.values()), 1)]
    return {name: events[:size] for name, size in sizes.items()}


def test_the_largest_streams_come_first_and_each_goes_to_the_process_with_the_fewest_events() -> None:
    streams = streams_of({"small": 1, "large": 8, "middle": 4, "other": 3})
    assert [list(share) for share in shares_of(streams, 2)] == [["large"], ["middle", "other", "small"]]
    assert len(shares_of(streams, 9)) == 4


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_processes_import_all_events_of_all_streams(database_url: str) -> None:
    streams = generated_streams(3_000, 1)
    done = replay_by_processes(database_url, streams, 2)
    assert done.events == 3_000
    assert done.client_seconds > 0
    with connect(database_url) as connection:
        archived = connection.execute(_ARCHIVED).fetchall()
    assert dict(archived) == {name: len(events) for name, events in streams.items()}
