"""Starts of a job coordinator that are killed after each of their writes, and then one that is not.

``python -m tests.managers.coordinator.killed_start DATABASE_URL FOLDER`` prints the names of the jobs: the first was
never killed, the next one after its first write, and so on.
"""

import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from eventlog.events import NewEvent
from eventlog.log import EventLog, system_clock
from eventlog.partition import SystemStreamPartition
from eventlog.postgres.log import PostgresAdmin, PostgresEventLog
from eventlog.startpoint import StartpointOldest
from eventlog.timestamps import ms_of
from managers.config.job_config import write_config
from managers.coordinator.job_coordinator import JobCoordinator
from managers.startpoints.startpoint_manager import StartpointManager
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.streams.stream_creation import create_coordinator_stream
from tests.managers.coordinator.folder_of_streams import FolderOfStreams
from tests.managers.coordinator.made_job import ENVIRONMENT, job_config, start_job
from tests.managers.watched_log import WatchedLog

NEVER: Final = -1
STALE: Final[Mapping[str, str]] = {"old.key": "1"}
VIEWS: Final = "views"


class Deadline:
    """Kills this process after a number of writes."""

    def __init__(self, writes: int) -> None:
        self._left = writes

    def __call__(self) -> None:
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


class CountedLog(WatchedLog):
    """Counts its appends."""

    def __init__(self, log: PostgresEventLog, acted: Callable[[], None]) -> None:
        super().__init__(log)
        self._acted = acted

    def append(self, events: Sequence[NewEvent], *, expected_offset: int | None = None) -> range:
        offsets = super().append(events, expected_offset=expected_offset)
        self._acted()
        return offsets


def start(database_url: str, folder: Path, name: str, writes: int) -> None:
    """A whole start, from the creation of the stream on, unless it is killed after some writes."""
    acted = Deadline(writes)
    config = job_config(name)
    stream = create_coordinator_stream(PostgresAdmin(database_url), config).stream_name
    acted()
    with PostgresEventLog(database_url, stream) as log:
        prepare(log, config, VIEWS)
        with CoordinatorStreamStore(CountedLog(log, acted)) as store:
            coordinator = JobCoordinator(store, environment=ENVIRONMENT)
            start_job(coordinator, store, {"kafka": FolderOfStreams(folder, acted)}, config)


def prepare(log: EventLog, config: Mapping[str, str], stream: str) -> None:
    """What an earlier deployment and an operator wrote: a key that is stale now, and a requested startpoint."""
    if log.end_offset() == 0:
        with CoordinatorStreamStore(log) as store:
            write_config(store, {"job.name": config["job.name"], **STALE})
            with StartpointManager(store, clock=lambda: 0) as manager:
                manager.write_startpoint(
                    SystemStreamPartition("kafka", stream, 1), StartpointOldest(ms_of(system_clock()))
                )


def is_killed(database_url: str, folder: Path, name: str, writes: int) -> bool:
    """Start in a process of its own, and return whether it was killed. Raises AssertionError if it failed."""
    process = os.fork()
    if process == 0:
        code = 1
        try:
            start(database_url, folder, name, writes)
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(process, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, f"the start of {name} failed"
    return os.WIFSIGNALED(status)


def kill_after_each_write(database_url: str, folder: Path) -> list[str]:
    names = []
    for writes in range(100):
        names.append(f"killed{writes}")
        place = folder / names[-1]
        place.mkdir()
        FolderOfStreams(place).set_partition_count(VIEWS, 4)
        was_killed = is_killed(database_url, place, names[-1], writes or NEVER)
        if was_killed:
            assert not is_killed(database_url, place, names[-1], NEVER)
        elif writes:
            return names[:-1]
    raise AssertionError("a start does not end")


if __name__ == "__main__":
    with suppress(BrokenPipeError):
        print("\n".join(kill_after_each_write(sys.argv[1], Path(sys.argv[2]))))
