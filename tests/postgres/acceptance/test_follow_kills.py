"""Followers killed with SIGKILL at every step and at random times lose no event and apply none twice."""

import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import pytest

from eventlog.postgres.connection import Connection, connect
from eventlog.postgres.log import PostgresEventLog
from eventlog.streams import identify
from projections.follow.follower import APPLICATION_NAME
from tests.checkout import CHECKOUT
from tests.fixtures.acceptance.tiled_recording import Digests, as_new, digests, import_tiles, tiles
from tests.fixtures.acceptance.torture import scaled
from tests.fixtures.kafka_topics import Topics
from tests.fixtures.waiting import wait_until

JOBS: Final = scaled(4, 200)
KILLS: Final = scaled(5, 200)
OPEN_STEPS: Final = ("archived", "folded", "merged")
BATCHES_A_KILL: Final = scaled(3, 8)
FINISH_SECONDS: Final = scaled(300, 3_000)
FEW: Final = 50
"""Events of a batch that goes to Postgres in one piece, at its end."""
MANY: Final = 120
"""Events of a batch that is copied, step by step."""

_OPEN: Final = """
select count(*) from pg_stat_activity
where application_name = %s and backend_xid is not null
"""
_BACKENDS: Final = "select count(*) from pg_stat_activity where application_name like %s"
_DONE: Final = "select coalesce(sum(next_offset), 0) from projection.position"


@dataclass
class Killer:
    """Starts followers one after the other, and kills each. ``open`` counts those killed in a transaction."""

    url: str
    place: str
    observer: Connection
    kills: int = 0
    open: int = 0
    rng: random.Random = field(default_factory=lambda: random.Random(4))

    def kill_at(self, step: str, batch_events: int) -> None:
        """Kill a follower at a step of one of its first batches."""
        with self._process(step, self.rng.randint(1, BATCHES_A_KILL), batch_events) as process:
            assert process.stdout is not None
            assert process.stdout.readline().strip() == step
            if step in OPEN_STEPS:
                wait_until(lambda: self._number(_OPEN, APPLICATION_NAME) == 1, what="an open transaction with rows")
            self.open += self._number(_OPEN, APPLICATION_NAME)
            self._kill(process)

    def kill_at_any_time(self) -> None:
        """Kill a follower after a random number of events, at any step."""
        target = self._number(_DONE) + self.rng.randrange(FEW * BATCHES_A_KILL)
        with self._process("never", 1, FEW) as process:
            wait_until(lambda: self._number(_DONE) >= target, what="the follower to make progress")
            self._kill(process)

    def finish(self) -> None:
        """Let a follower finish."""
        with self._process("never", 1, MANY) as process:
            process.wait(FINISH_SECONDS)
            assert process.stdout is not None
            assert process.stdout.read() == "done\n"

    def _kill(self, process: subprocess.Popen[str]) -> None:
        process.kill()
        process.wait()
        self.kills += 1
        wait_until(lambda: self._number(_BACKENDS, f"{APPLICATION_NAME}%") == 0, what="the end of its backends")

    @contextmanager
    def _process(self, step: str, occurrence: int, batch_events: int) -> Iterator[subprocess.Popen[str]]:
        arguments = (self.url, self.place, str(JOBS), step, str(occurrence), str(batch_events))
        command = [sys.executable, "-m", "tests.programs.follow_until", *arguments]
        with subprocess.Popen(
            command, cwd=CHECKOUT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process:
            try:
                yield process
            finally:
                process.kill()

    def _number(self, query: str, *values: Any) -> int:
        row = self.observer.execute(query.encode(), values).fetchone()
        assert row is not None
        return int(row[0])


def fill_postgres(url: str) -> str:
    """Append the recordings to logs in the database, and return the place for a follower."""
    with connect(url) as connection:
        for name, events in tiles(JOBS):
            PostgresEventLog.create(connection, identify(name)).append(as_new(events))
    return "postgres"


@pytest.fixture(scope="module")
def imported(clones: Callable[[], str]) -> Digests:
    """The digests of the relations after an import."""
    with connect(clones()) as connection:
        import_tiles(connection, JOBS)
        return digests(connection)


@pytest.fixture
def brokers(topics: Topics) -> str:
    """The brokers, with the recordings on topics."""
    for name, events in tiles(JOBS):
        topics.write(topics.create(name), as_new(events))
    return topics.bootstrap_servers


@pytest.mark.slow
@pytest.mark.torture
@pytest.mark.parametrize("backend", ["postgres", "kafka"])
def test_killed_followers_end_with_the_relations_of_an_import(
    clones: Callable[[], str], imported: Digests, request: pytest.FixtureRequest, backend: str
) -> None:
    url = clones()
    place = fill_postgres(url) if backend == "postgres" else request.getfixturevalue("brokers")
    with connect(url, application_name="observer") as observer:
        killer = Killer(url, place, observer)
        for number in range(KILLS):
            match number % 5:
                case 3:
                    killer.kill_at("committed", FEW)
                case 4:
                    killer.kill_at_any_time()
                case step:
                    killer.kill_at(OPEN_STEPS[step], MANY)
        assert (killer.kills, killer.open) == (KILLS, KILLS * 3 // 5)
        killer.finish()
        assert digests(observer) == imported
    print(f"\n{killer.kills} followers of {backend} killed, {killer.open} of them in an open transaction")
