"""Records of a checkpoint topic, made up: commits in V1, in V2, or in both."""

import json
import random
from collections.abc import Iterator
from typing import Any, Final

from tests.properties.generated_messages import START_MS, STREAMS, TASKS
from tests.properties.spelling import Spelling

Record = tuple[bytes | None, bytes | None]
Partition = tuple[str, str, int]

GROUPERS: Final = (
    *("org.apache.samza.container.grouper.stream.GroupByPartitionFactory",) * 5,
    "org.other.GrouperFactory",
)
STATE_FACTORY: Final = "org.apache.samza.storage.KafkaChangelogStateBackendFactory"
_UNREADABLE: Final = (
    b"",
    b"{",
    b"\xff\xfe",
    b"[]",
    b'{"input-offsets":7}',
    b'{"a":{"system":"kafka"}}',
    b'{"input-offsets":{"nodots":"1"},"state-checkpoint-markers":{},"version":2}',
)
_BAD_KEYS: Final = (b"", b"[]", b"\xff", b'{"type":"checkpoint"}', b'{"type":7}')


class CheckpointWriter:
    """Draws the records of a checkpoint topic, without end."""

    def __init__(self, rng: random.Random, spelling: Spelling) -> None:
        self._rng = rng
        self._spelling = spelling
        self._offset = 0

    def records(self, tombstone: float, unreadable: float) -> Iterator[tuple[Record, bool]]:
        """Records, and whether they can be read."""
        while True:
            task, grouper = self._rng.choice(TASKS[:4]), self._rng.choice(GROUPERS)
            for kind, value in self._commit():
                key = self._key(kind, task, grouper)
                chance = self._rng.random()
                if chance < unreadable:
                    yield self._unreadable(key, kind), False
                elif chance < unreadable + tombstone:
                    yield (key, None), True
                else:
                    yield (key, value), True

    def _unreadable(self, key: bytes, kind: str) -> Record:
        if kind not in ("checkpoint", "checkpoint-v2"):
            return key, b"\xff"
        chance = self._rng.random()
        if chance < 0.2:
            return self._rng.choice([(None, b"orphan"), (None, None), (self._rng.choice(_BAD_KEYS), b"{}")])
        if chance < 0.4:
            entry = {
                "system": "kafka",
                "stream": "s",
                "partition": "0",
                "offset": self._rng.choice(["\0", "\udc00", 7]),
            }
            return key, json.dumps({"x": entry}).encode()
        return key, self._rng.choice(_UNREADABLE)

    def _key(self, kind: str, task: str, grouper: str) -> bytes:
        fields = {"systemstreampartition-grouper-factory": grouper, "taskName": task, "type": kind}
        return self._spelling.write(fields)

    def _commit(self) -> Iterator[tuple[str, bytes]]:
        self._offset += self._rng.randint(1, 50)
        commit_id = f"{START_MS + self._offset}-{self._rng.randrange(10**6)}"
        partitions = self._partitions()
        offsets = {partition: self._input_offset() for partition in partitions}
        state = self._rng.choice([None, "17", str(self._offset)])
        form = self._rng.choices(["both", "v1", "v2", "other"], [6, 2, 2, 0.4])[0]
        if form in ("both", "v1"):
            yield "checkpoint", self._v1(offsets, commit_id, state)
        if form in ("both", "v2"):
            yield "checkpoint-v2", self._v2(offsets, commit_id, state)
        if form == "other":
            yield "checkpoint-v3", b'{"of":"the future"}'

    def _partitions(self) -> list[Partition]:
        known = [(system, stream, number) for system, stream in STREAMS for number in range(2)]
        return self._rng.sample(known, self._rng.choice([0, 1, 3, 3, 3, 5]))

    def _input_offset(self) -> str | None:
        common = str(self._offset)
        return self._rng.choice([*(common,) * 12, None, "", "null", "a\x1fb", "\x1e", "9" * 25, "-3"])

    def _v1(self, offsets: dict[Partition, str | None], commit_id: str, state: str | None) -> bytes:
        entries = dict(self._v1_entry(partition, offset) for partition, offset in offsets.items())
        marked = self._rng.choice([f"{commit_id}:{state or 'null'}", state])
        if self._rng.random() < 0.7:
            entries |= dict([self._v1_entry(("kafka", "counts-changelog", 1), marked)])
        return self._spelling.write(entries)

    def _v1_entry(self, partition: Partition, offset: str | None) -> tuple[str, dict[str, Any]]:
        system, stream, number = partition
        bucket = self._rng.choice(["", "", "", "", ", 1"])
        label = f"SystemStreamPartition [{system}, {stream}, {number}{bucket}]"
        return label, {"system": system, "partition": str(number), "offset": offset, "stream": stream}

    def _v2(self, offsets: dict[Partition, str | None], commit_id: str, state: str | None) -> bytes:
        markers: dict[str, Any] = {}
        if self._rng.random() < 0.7:
            markers[STATE_FACTORY] = {"counts": self._marker(state)}
        if self._rng.random() < 0.2:
            markers["org.other.BlobStore"] = {"counts": f"blob-{self._offset}", "views": ""}
        fields = {
            "checkpoint-id": commit_id,
            "input-offsets": {
                f"{system}.{stream}.{number}": text for (system, stream, number), text in offsets.items()
            },
            "state-checkpoint-markers": markers,
            "version": 2,
        }
        text = self._spelling.write(fields)
        twice = b'"input-offsets":{"kafka.page-views.0":"1",'
        return text.replace(b'"input-offsets":{', twice, 1) if offsets and self._rng.random() < 0.1 else text

    def _marker(self, state: str | None) -> str:
        if self._rng.random() < 0.2:
            return f"1;kafka;counts-changelog;1;{state or 'null'}"
        changelog = {"system": "kafka", "partition": 1, "stream": "counts-changelog", "keyBucket": -1}
        return self._spelling.write({"version": 1, "changelog-ssp": changelog, "changelog-offset": state}).decode()
