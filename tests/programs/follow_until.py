"""A process that follows the tiled recording, and stops at a step, to be killed there.

Arguments: database URL, source (`postgres`, or the brokers), number of jobs, step (`archived`, `folded`, `merged`,
`committed`; `never`), at which of its occurrences to stop, and how many events a batch may have. Prints
the step on standard output when it is reached, and waits; prints `done` when all is read. Ends with its standard input.
"""

import os
import sys
from contextlib import AbstractContextManager
from threading import Event, Thread

from eventlog.kafka.options import KafkaOptions
from eventlog.kafka.source import KafkaSource
from eventlog.postgres.source import PostgresSource
from eventlog.source import EventSource
from projections.follow import tail
from projections.follow.follow_run import FollowPlan
from projections.follow.follower import Follower
from tests.fixtures.acceptance.imported_job import IMPORTED_AT, SETTINGS
from tests.fixtures.acceptance.tiled_recording import stream_names
from tests.fixtures.properties.importing import always_copying


def main(database_url: str, place: str, jobs: str, stop_at: str, occurrence: str, batch_events: str) -> None:
    """Follow until the step is reached for the ``occurrence``-th time."""
    left = int(occurrence)

    def on_step(step: str) -> None:
        nonlocal left
        left -= step == stop_at
        if left == 0:
            print(step, flush=True)
            Event().wait()

    Thread(target=_end_with_the_tests, daemon=True).start()
    vars(tail)["BATCH_EVENTS"] = int(batch_events)  # to have many transactions
    plan = FollowPlan(tuple(stream_names(int(jobs))), once=True)
    with source_at(place, database_url) as source:
        make_projector = always_copying(on_step)
        follower = Follower(database_url, source, SETTINGS, lambda: IMPORTED_AT, plan, make_projector=make_projector)
        outcome = follower.run()
    assert outcome.failures == {}
    print("done", flush=True)


def _end_with_the_tests() -> None:
    """Exit if the tests are killed."""
    sys.stdin.read()
    os._exit(1)


def source_at(place: str, database_url: str) -> AbstractContextManager[EventSource]:
    """Open the brokers, or the logs of the database."""
    return PostgresSource(database_url) if place == "postgres" else KafkaSource(KafkaOptions.parse(place))


if __name__ == "__main__":
    main(*sys.argv[1:])
