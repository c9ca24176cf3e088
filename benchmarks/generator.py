"""Generated streams of two jobs: the same events for the same seed.

A released job has a coordinator stream and a checkpoint topic with V1 and V2 of each commit; a job of the oldest kind
keeps its checkpoints in its coordinator stream. Of all events 90 % are checkpoints (60 V1 and V2, 30 set-checkpoint),
8 % set-config, 1 % tombstones, 1 % of every other type, one of them unknown.
"""

import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, Final

from eventlog.events import CREATE_TIME, RecordedEvent
from eventlog.messages import SetCheckpoint, SetConfig, SetStartpoint
from eventlog.partition import SystemStreamPartition, TaskName
from eventlog.streams import checkpoint_stream_name, coordinator_stream_name
from eventlog.wire import checkpoint_topic
from eventlog.wire.coordinator import encode_key
from eventlog.wire.jackson import encode_partition_key

RELEASED_JOB: Final = ("page-views-by-country", "1")
OLDEST_JOB: Final = ("sessions", "1")
RELEASED_COORDINATOR: Final = coordinator_stream_name(*RELEASED_JOB)
RELEASED_CHECKPOINTS: Final = checkpoint_stream_name(*RELEASED_JOB)
OLDEST_COORDINATOR: Final = coordinator_stream_name(*OLDEST_JOB)
STREAM_NAMES: Final = (RELEASED_COORDINATOR, RELEASED_CHECKPOINTS, OLDEST_COORDINATOR)
CHANGELOG: Final = f"{RELEASED_JOB[0]}-counts-changelog"

START_MS: Final = 1_700_000_000_000
_A_CENTURY_MS: Final = 100 * 365 * 86_400_000

Record = tuple[bytes, bytes | None]
StreamRecord = tuple[str, bytes, bytes | None]

INPUT_STREAMS: Final = ("clicks", "page.views", "user-profiles")
BROADCAST_STREAM: Final = "rules"
STORE_FACTORY: Final = "org.apache.samza.storage.KafkaChangelogStateBackendFactory"

_READ_VERSIONS: Final = ("task.checkpoint.read.versions", ("1", "1,2", "2,1"))
_CONTAINERS: Final = 50
STARTPOINT: Final = SetStartpoint.message_type


def generate(
    count: int, seed: int = 1, *, tasks: int = 2_000, config_keys: int = 3_000
) -> Iterator[tuple[str, RecordedEvent]]:
    """``count`` events with their streams' names; ``tasks`` and ``config_keys`` are per job."""
    rng = Random(seed)
    offsets = dict.fromkeys(STREAM_NAMES, 0)
    for (now_ms, stream_name, key, value), _ in zip(_records(rng, tasks, config_keys), range(count), strict=False):
        offset = offsets[stream_name]
        offsets[stream_name] = offset + 1
        yield stream_name, RecordedEvent(offset, _record_time(rng, now_ms), CREATE_TIME, key, value)


def _records(rng: Random, tasks: int, config_keys: int) -> Iterator[tuple[int, str, bytes, bytes | None]]:
    """Endless records, each with its time."""
    now_ms = START_MS
    jobs = _GeneratedJobs(rng, tasks, config_keys)
    for record in jobs.start(now_ms):
        yield now_ms, *record
    while True:
        now_ms += int(rng.random() * 10)
        for record in jobs.draw(now_ms):
            yield now_ms, *record


class _GeneratedJobs:
    def __init__(self, rng: Random, tasks: int, config_keys: int) -> None:
        self._rng = rng
        self._coordinators = (
            (RELEASED_COORDINATOR, GeneratedJob(*RELEASED_JOB, config_keys, rng)),
            (OLDEST_COORDINATOR, GeneratedJob(*OLDEST_JOB, config_keys, rng)),
        )
        self._released_tasks = [GeneratedTask(number, CHANGELOG) for number in range(tasks)]
        self._oldest_tasks = [GeneratedTask(number, CHANGELOG) for number in range(tasks)]

    def start(self, now_ms: int) -> list[StreamRecord]:
        return [(stream_name, *record) for stream_name, job in self._coordinators for record in job.start(now_ms)]

    def draw(self, now_ms: int) -> list[StreamRecord]:
        """The next records: the two of a commit, or one of another type."""
        rng = self._rng
        at, drawn = int(rng.random() * len(self._oldest_tasks)), rng.random() * 70
        if drawn < 30:
            return [(RELEASED_CHECKPOINTS, *record) for record in self._released_tasks[at].commit(rng, now_ms)]
        if drawn < 60:
            return [(OLDEST_COORDINATOR, *self._oldest_tasks[at].set_checkpoint(rng, now_ms))]
        if drawn < 60.25:
            return [(RELEASED_CHECKPOINTS, self._released_tasks[at].key_v1, None)]
        if drawn < 60.5:
            return [(OLDEST_COORDINATOR, self._oldest_tasks[at].key_v0, None)]
        stream_name, job = self._coordinators[int(rng.random() * 2)]
        if drawn < 61:
            record = job.config_tombstone()
        else:
            record = job.other(self._oldest_tasks[at], now_ms) if drawn < 62 else job.config(now_ms)
        return [(stream_name, *record)]


def _record_time(rng: Random, now_ms: int) -> int:
    """One event of a thousand is a minute late, and one of a hundred thousand a century early."""
    drawn = rng.random() * 100_000
    if drawn < 1:
        return now_ms + _A_CENTURY_MS
    return now_ms - 60_000 if drawn < 100 else now_ms


class GeneratedTask:
    """A task with three partitions, a broadcast partition and a store, and its current offsets.

    Its broadcast partition comes and goes, rarely, so that its checkpoints are not all of one layout.
    """

    def __init__(self, number: int, changelog: str) -> None:
        self.number = number
        self.name = f"Partition {number}"
        self.key_v0 = encode_key(SetCheckpoint.message_type, self.name)
        self.key_v1, self.key_v2 = (
            checkpoint_topic.encode_key(checkpoint_topic.CheckpointKey(key_type, TaskName(self.name)))
            for key_type in (checkpoint_topic.KEY_TYPE_V1, checkpoint_topic.KEY_TYPE_V2)
        )
        self._host = f"192.0.2.{number % 50 + 1}"
        self._partitions = [(stream, number) for stream in INPUT_STREAMS]
        self._changelog = (changelog, number)
        self._offsets = [0, 0, 0, 0]
        self._stored = 0
        self._toggle_broadcast()

    def set_checkpoint(self, rng: Random, now_ms: int) -> Record:
        """The next checkpoint on a coordinator stream."""
        self._advance(rng)
        return self.key_v0, (self._v0 % (*self._read(), now_ms)).encode()

    def commit(self, rng: Random, now_ms: int) -> tuple[Record, Record]:
        """The next commit on a checkpoint topic: V1 and V2."""
        self._advance(rng)
        checkpoint_id = f"{now_ms}-{int(rng.random() * 1_000_000)}"
        v1 = self._v1 % (*self._read(), checkpoint_id, self._stored)
        v2 = self._v2 % (checkpoint_id, *self._read(), self._stored)
        return (self.key_v1, v1.encode()), (self.key_v2, v2.encode())

    def _advance(self, rng: Random) -> None:
        random = rng.random
        *inputs, broadcast = self._offsets
        self._offsets = [*(offset + int(random() * 500) + 1 for offset in inputs), broadcast + 1]
        self._stored += int(random() * 200)
        if random() * 2_000 < 1:
            self._toggle_broadcast()

    def _read(self) -> list[int]:
        return self._offsets[: len(self._partitions)]

    def _toggle_broadcast(self) -> None:
        broadcast = (BROADCAST_STREAM, 0)
        if broadcast in self._partitions:
            self._partitions.remove(broadcast)
        else:
            self._partitions.append(broadcast)
        inputs = ",".join(f'"kafka.{stream}.{partition}":"%d"' for stream, partition in self._partitions)
        self._v0 = f'{{"host":"{self._host}","source":"SamzaContainer","values":{{{inputs}}},'
        self._v0 += '"username":"samza","timestamp":%d}'
        entries = [_v1_entry(*partition, "%d") for partition in self._partitions]
        self._v1 = "{" + ",".join([*entries, _v1_entry(*self._changelog, "%s:%d")]) + "}"
        self._v2 = f'{{"checkpoint-id":"%s","input-offsets":{{{inputs}}},"state-checkpoint-markers":'
        self._v2 += f'{{"{STORE_FACTORY}":{{"counts":"{_marker(*self._changelog)}"}}}},"version":2}}'


class GeneratedJob:
    """A job's config, and its messages of every other type, with random values."""

    def __init__(self, name: str, job_id: str, config_keys: int, rng: Random) -> None:
        self._name, self._job_id = name, job_id
        self._rng = rng
        names = [_config_name(number) for number in range(config_keys - 1)]
        self._config_keys = [encode_key(SetConfig.message_type, name) for name in names]
        self._read_versions_key = encode_key(SetConfig.message_type, _READ_VERSIONS[0])

    def start(self, now_ms: int) -> list[Record]:
        """The configs at the start of every job."""
        inputs = ",".join(f"kafka.{stream}" for stream in (*INPUT_STREAMS, BROADCAST_STREAM))
        config = {
            "job.name": self._name,
            "job.id": self._job_id,
            "task.inputs": inputs,
            "systems.kafka.samza.factory": "org.apache.samza.system.kafka.KafkaSystemFactory",
            "systems.kafka.samza.offset.default": "oldest",
        }
        return [
            (encode_key(SetConfig.message_type, key), _enveloped({"value": text}, now_ms))
            for key, text in config.items()
        ]

    def config(self, now_ms: int) -> Record:
        """A message that sets a config."""
        at = self._pick(len(self._config_keys) + 1)
        if at == len(self._config_keys):
            return self._read_versions_key, _enveloped({"value": _READ_VERSIONS[1][self._pick(3)]}, now_ms)
        text = f"value-{self._pick(1_000_000)}-" + "x" * self._pick(60)
        return self._config_keys[at], _enveloped({"value": text}, now_ms)

    def config_tombstone(self) -> Record:
        """A message that deletes a config."""
        return self._config_keys[self._pick(len(self._config_keys))], None

    def other(self, task: GeneratedTask, now_ms: int) -> Record:
        """A message of any other type, including an unknown one."""
        place = f"kafka.{INPUT_STREAMS[0]}.{task.number}"
        oldest = {"@type": "StartpointOldest", "creationTimestamp": now_ms}
        kinds: tuple[Callable[[], tuple[str, str, dict[str, Any]]], ...] = (
            lambda: ("set-changelog", task.name, {"Partition": str(task.number)}),
            lambda: ("set-container-host-assignment", str(self._pick(_CONTAINERS)), self._host()),
            lambda: ("set-task-container-assignment", task.name, {"containerId": str(self._pick(_CONTAINERS))}),
            lambda: ("set-task-mode-assignment", task.name, {"taskMode": "Active"}),
            lambda: ("set-task-partition-assignment", self._input(task), {"taskNames": _dumps([task.name])}),
            lambda: (STARTPOINT, place, oldest),
            lambda: (f"{STARTPOINT}-fan-out", task.name, {"timestamp": now_ms, "fanOuts": {place: oldest}}),
            lambda: ("set-generated", task.name, {"value": "x" * self._pick(100)}),
        )
        message_type, key, values = kinds[self._pick(len(kinds))]()
        is_bare = message_type.startswith(STARTPOINT)
        return encode_key(message_type, key), _dumps(values).encode() if is_bare else _enveloped(values, now_ms)

    def _host(self) -> dict[str, str]:
        return {"jmx-url": "", "host": f"192.0.2.{self._pick(200)}", "jmx-tunneling-url": ""}

    def _input(self, task: GeneratedTask) -> str:
        return encode_partition_key(SystemStreamPartition("kafka", INPUT_STREAMS[self._pick(3)], task.number))

    def _pick(self, count: int) -> int:
        return int(self._rng.random() * count)


def _v1_entry(stream: str, partition: int, offset: str) -> str:
    fields = f'"system":"kafka","partition":"{partition}","offset":"{offset}","stream":"{stream}"'
    return f'"SystemStreamPartition [kafka, {stream}, {partition}]":{{{fields}}}'


def _marker(stream: str, partition: int) -> str:
    changelog = f'{{"system":"kafka","partition":{partition},"stream":"{stream}","keyBucket":-1}}'
    return f'{{"version":1,"changelog-ssp":{changelog},"changelog-offset":"%d"}}'.replace('"', '\\"')


def _config_name(number: int) -> str:
    suffix = "password" if number % 500 == 0 else "setting"
    return f"systems.kafka.streams.stream-{number // 10}.{suffix}-{number % 10}"


def _enveloped(values: dict[str, str], now_ms: int) -> bytes:
    fields = {"host": "192.0.2.1", "source": "job-runner", "values": values, "username": "samza", "timestamp": now_ms}
    return _dumps(fields).encode()


def _dumps(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))
