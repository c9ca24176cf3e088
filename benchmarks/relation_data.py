"""The data for measuring relations: one large job and many small ones, always the same for the same sizes.

A job has a coordinator stream and a checkpoint topic with V1 and V2 of each commit, four inputs and a store for each
task. Each deploy writes every config key again; its assignments, and a few startpoints, stand beside it.
"""

from collections.abc import Callable, Iterator
from random import Random
from typing import Final, NamedTuple

from benchmarks.generator import START_MS, GeneratedJob, GeneratedTask, Record
from eventlog.events import CREATE_TIME, RecordedEvent
from eventlog.messages import SetConfig
from eventlog.streams import checkpoint_stream_name, coordinator_stream_name
from eventlog.wire.coordinator import encode_key

COMMIT_MS: Final = 60_000
"""Time between two commits of a task: Samza's default."""

READ_VERSIONS: Final = ("1,2", "2,1")
"""``task.checkpoint.read.versions`` in the two halves of the deploys, so that both versions are read."""


class JobSize(NamedTuple):
    """A job's name, and its approximate number of events, tasks and config keys."""

    name: str
    events: int
    tasks: int
    config_keys: int

    @property
    def others(self) -> int:
        """Messages of other types at each deploy."""
        return min(200, self.events // 100)

    @property
    def deploys(self) -> int:
        """How often the config is written."""
        return min(20, max(1, self.events // 1_000))


class JobLogs(NamedTuple):
    """A generated job's two streams with their events."""

    size: JobSize

    @property
    def coordinator(self) -> str:
        """Name of the coordinator stream."""
        return coordinator_stream_name(self.size.name, "1")

    @property
    def checkpoints(self) -> str:
        """Name of the checkpoint topic."""
        return checkpoint_stream_name(self.size.name, "1")

    def streams(self) -> tuple[tuple[str, Callable[[], Iterator[RecordedEvent]]], ...]:
        """Both names, with the events."""
        return (self.coordinator, self.coordinator_events), (self.checkpoints, self.checkpoint_events)

    def coordinator_events(self) -> Iterator[RecordedEvent]:
        """Deploys, at equal intervals."""
        size = self.size
        rng, job = Random(size.name), GeneratedJob(size.name, "1", 2, Random(size.name))
        tasks = [GeneratedTask(number, f"{size.name}-counts-changelog") for number in range(size.tasks)]
        records: list[tuple[int, Record]] = []
        duration_ms = size.events // 2 * COMMIT_MS // size.tasks
        for deploy in range(size.deploys):
            now_ms = START_MS + deploy * duration_ms // size.deploys
            records += [(now_ms, record) for record in [*job.start(now_ms), *_config(size, deploy, now_ms)]]
            records += [(now_ms, job.other(rng.choice(tasks), now_ms)) for _ in range(size.others)]
        return _recorded(iter(records))

    def checkpoint_events(self) -> Iterator[RecordedEvent]:
        """Commits of the tasks in turn, each in V1 and then in V2."""
        return _recorded(self._commits())

    def _commits(self) -> Iterator[tuple[int, Record]]:
        size, rng = self.size, Random(self.size.name)
        tasks = [GeneratedTask(number, f"{size.name}-counts-changelog") for number in range(size.tasks)]
        for number in range((size.events - size.deploys * (size.config_keys + size.others)) // 2):
            task = tasks[number % size.tasks]
            now_ms = START_MS + number * COMMIT_MS // size.tasks
            v1, v2 = task.commit(rng, now_ms)
            yield now_ms, v1
            yield now_ms + 1, v2


def _config(size: JobSize, deploy: int, now_ms: int) -> Iterator[Record]:
    values = {f"app.setting.{number}": f"value-{number}" for number in range(size.config_keys)}
    read_versions = READ_VERSIONS[deploy * 2 // max(2, size.deploys)]
    values |= {"app.version": str(deploy), "task.checkpoint.read.versions": read_versions}
    for key, value in values.items():
        yield (
            encode_key(SetConfig.message_type, key),
            f'{{"host":"192.0.2.1","source":"job-runner","values":{{"value":"{value}"}},'
            f'"username":"samza","timestamp":{now_ms}}}'.encode(),
        )


def _recorded(records: Iterator[tuple[int, Record]]) -> Iterator[RecordedEvent]:
    for offset, (now_ms, (key, value)) in enumerate(records):
        yield RecordedEvent(offset, now_ms, CREATE_TIME, key, value)
