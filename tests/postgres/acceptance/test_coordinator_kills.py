"""A job coordinator that is killed after any of its writes: the next one ends in the same relations."""

import itertools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from eventlog.events import NewEvent
from eventlog.partition import SystemStreamPartition
from eventlog.postgres.log import PostgresAdmin, PostgresEventLog
from eventlog.startpoint import StartpointOldest
from managers.config.job_config import write_config
from managers.coordinator.job_coordinator import JobCoordinator
from managers.startpoints.startpoint_manager import StartpointManager
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.stream_creation import create_coordinator_stream
from tests.fixtures.coordstream.command_line import CommandLine
from tests.fixtures.managers.coordinator.folder_of_streams import FolderOfStreams
from tests.fixtures.managers.coordinator.made_job import ENVIRONMENT, job_config, start_job
from tests.fixtures.managers.watched_log import WatchedLog

VIEWS: Final = "views"
RELATIONS: Final = {
    "config": "config_key, config_value",
    "changelog_mapping": "task_name, changelog_partition",
    "task_container": "task_name, container_id",
    "task_mode": "task_name, task_mode",
    "task_partition": "task_name, system_name, stream_name, partition_id",
    "startpoint": "partition_id, task_name, startpoint_type",
    "startpoint_fan_out": "task_name, partition_id, startpoint_type",
    "job_coordinator_metadata": "cluster_type, epoch_id, config_id, job_model_id",
    "anomaly": "anomaly, subject",
}


def relations_of(cli: CommandLine, name: str) -> dict[str, list[tuple[Any, ...]]]:
    """What the relations say of a job, with its own name and the ports of its coordinators left out."""
    return {
        relation: sorted(
            tuple(re.sub(r"127\.0\.0\.1:\d+/", "URL", str(value).replace(name, "NAME")) for value in row)
            for row in cli.ask(f"select {columns} from coordinator.{relation} where job_name = '{name}'")
        )
        for relation, columns in RELATIONS.items()
    }


class Died(BaseException):
    """The job coordinator ended here: nothing handles it, and nothing is written after it."""


class Death:
    """Ends a job coordinator after a number of writes (0: never)."""

    def __init__(self, writes: int) -> None:
        self._writes = writes
        self._done = 0

    def __call__(self) -> None:
        """Count a write."""
        self._done += 1
        self.check()

    def check(self) -> None:
        """Let nothing go on that is dead."""
        if 0 < self._writes <= self._done:
            raise Died


class MortalLog(WatchedLog):
    """A log in which the dead write nothing."""

    def __init__(self, log: PostgresEventLog, death: Death) -> None:
        super().__init__(log)
        self._death = death

    def append(self, events: Sequence[NewEvent], *, expected_offset: int | None = None) -> range:
        self._death.check()
        offsets = super().append(events, expected_offset=expected_offset)
        self._death()
        return offsets


def start(database_url: str, folder: Path, name: str, death: Death) -> None:
    """A whole start, from the creation of the stream on, unless it dies after some writes."""
    config = job_config(name)
    stream = create_coordinator_stream(PostgresAdmin(database_url), config).stream_name
    death()
    with PostgresEventLog(database_url, stream) as log:
        if log.end_offset() == 0:
            prepare(log, config["job.name"])
        with CoordinatorStreamStore(MortalLog(log, death)) as store:
            coordinator = JobCoordinator(store, environment=ENVIRONMENT)
            start_job(coordinator, store, {"kafka": FolderOfStreams(folder, death)}, config)


def prepare(log: PostgresEventLog, job_name: str) -> None:
    """What an earlier deployment and an operator wrote: a key that is stale now, and a requested startpoint."""
    with CoordinatorStreamStore(log) as store:
        write_config(store, {"job.name": job_name, "old.key": "1"})
        with StartpointManager(store, clock=lambda: 0) as manager:
            partition = SystemStreamPartition("kafka", VIEWS, 1)
            manager.write_startpoint(partition, StartpointOldest())


def started_again_after_each_write(database_url: str, folder: Path) -> list[str]:
    """Names of jobs: the first was never killed, the next one after its first write, and so on."""
    names: list[str] = []
    for writes in itertools.count():
        name = f"killed{writes}"
        place = folder / name
        place.mkdir()
        FolderOfStreams(place).set_partition_count(VIEWS, 4)
        try:
            start(database_url, place, name, Death(writes))
            if writes:
                break
        except Died:
            start(database_url, place, name, Death(0))
        names.append(name)
    return names


@pytest.mark.slow
@pytest.mark.torture
def test_the_next_start_ends_in_the_same_relations(cli: CommandLine, tmp_path: Path) -> None:
    undisturbed, *killed = started_again_after_each_write(cli.database_url, tmp_path)
    assert len(killed) >= 7  # the stream, config, deletes, two topics, assignments, fan-out, metadata
    assert cli("follow", "--all", "--once").code == 0
    expected = relations_of(cli, undisturbed)
    assert [len(rows) > 0 for rows in expected.values()] == [*[True] * 5, False, True, True, False]
    assert [relations_of(cli, name) for name in killed] == [expected] * len(killed)
