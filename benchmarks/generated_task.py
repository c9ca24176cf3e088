"""A task of a generated job, and the values of its commits as Samza writes them."""

from random import Random
from typing import Final

from eventlog.messages import SetCheckpoint
from eventlog.partition import TaskName
from eventlog.wire import checkpoint_topic, coordinator

INPUT_STREAMS: Final = ("clicks", "page.views", "user-profiles")
BROADCAST_STREAM: Final = "rules"
STORE_FACTORY: Final = "org.apache.samza.storage.KafkaChangelogStateBackendFactory"

_COMMITS_OF_A_PARTITION_SET: Final = 2_000


class GeneratedTask:
    """A task with three partitions, a broadcast partition and a store, and its current offsets.

    Its broadcast partition comes and goes, rarely, so that its checkpoints are not all of one layout.
    """

    def __init__(self, number: int, changelog: str) -> None:
        self.number = number
        self.name = f"Partition {number}"
        self.key_v0 = coordinator.encode_key(SetCheckpoint.message_type, self.name)
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

    def advance(self, rng: Random) -> None:
        """Advance every offset."""
        random = rng.random
        first, second, third, broadcast = self._offsets
        self._offsets = [
            first + int(random() * 500) + 1,
            second + int(random() * 500) + 1,
            third + int(random() * 500) + 1,
            broadcast + 1,
        ]
        self._stored += int(random() * 200)
        if random() * _COMMITS_OF_A_PARTITION_SET < 1:
            self._toggle_broadcast()

    def value_v0(self, now_ms: int) -> str:
        """The value of a ``set-checkpoint``."""
        return self._v0 % (*self._read(), now_ms)

    def value_v1(self, checkpoint_id: str) -> str:
        """The value of a commit's ``checkpoint``."""
        return self._v1 % (*self._read(), checkpoint_id, self._stored)

    def value_v2(self, checkpoint_id: str) -> str:
        """The value of a commit's ``checkpoint-v2``."""
        return self._v2 % (checkpoint_id, *self._read(), self._stored)

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


def _v1_entry(stream: str, partition: int, offset: str) -> str:
    fields = f'"system":"kafka","partition":"{partition}","offset":"{offset}","stream":"{stream}"'
    return f'"SystemStreamPartition [kafka, {stream}, {partition}]":{{{fields}}}'


def _marker(stream: str, partition: int) -> str:
    changelog = f'{{"system":"kafka","partition":{partition},"stream":"{stream}","keyBucket":-1}}'
    return f'{{"version":1,"changelog-ssp":{changelog},"changelog-offset":"%d"}}'.replace('"', '\\"')
