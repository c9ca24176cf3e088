"""Records of a coordinator stream, made up."""

import json
import random
from collections.abc import Callable, Iterator
from typing import Any, Final

from tests.properties.spelling import Spelling

Record = tuple[bytes | None, bytes | None]

TASKS: Final = ("Partition 0", "Partition 1", "Partition 2", "tâche.1", "2")
STREAMS: Final = (("kafka", "page-views"), ("kafka", "dotted.stream"), ("hdfs", "s"), ("kafka", "s.1"))
START_MS: Final = 1_749_900_000_000

_CONFIG: Final[dict[str, tuple[str, ...]]] = {
    "task.checkpoint.read.versions": ("1", "2", "1,2", "2,1", " 2 , 1 ", "2,1, ,", "nonsense"),
    "task.live.checkpoint.max.age": ("600000", "1000", "0"),
    "job.systemstreampartition.grouper.factory": (
        "org.apache.samza.container.grouper.stream.GroupByPartitionFactory",
        "org.other.GrouperFactory",
    ),
    "job.changelog.system": ("kafka", "hdfs"),
    "stores.counts.changelog": ("counts-changelog", "kafka.counts-changelog"),
    "stores.views.changelog": ("kafka.page-views", "views-changelog"),
    "task.inputs": ("kafka.page-views", "kafka.page-views,hdfs.s", ""),
    "systems.kafka.samza.offset.default": ("oldest", "upcoming"),
    "systems.hdfs.default.stream.samza.offset.default": ("oldest", " Upcoming "),
    "systems.kafka.streams.page-views.samza.reset.offset": ("true", "false"),
    "systems.kafka.default.stream.samza.reset.offset": (" TRUE ", "false"),
    "db.password": ("hunter2", "hunter3", ""),
    "db.url": ("jdbc://user:pw@host/db", "jdbc://host/db"),
    "clé.✓": ("", "valeur", '{"a": 1}', "🚀"),
}
_UNREADABLE: Final = (b"", b"{", b"\xff\xfe", b"[]", b'{"values":[]}', b"{}", b'{"values":7}')
_BAD_TEXTS: Final = ("\0", "half \ud83d")
_BAD_KEYS: Final = (
    b"",
    b"not json",
    b"\xff",
    b"[1,2]",
    b'{"a":1}',
    b'[1,"set-config",7]',
    b'[1,"set-config","\\u0000"]',
)


class MessageWriter:
    """Draws the records of a coordinator stream, without end; keys repeat, because their pool is small."""

    def __init__(self, rng: random.Random, spelling: Spelling, job_name: str) -> None:
        self._rng = rng
        self._spelling = spelling
        self._config = _CONFIG | {"job.name": (job_name, job_name.replace("_", "-")), "job.id": ("1",)}
        self._makers: list[tuple[float, Callable[[], tuple[str, str, Any]]]] = [
            (4, self._set_config),
            (1, self._changelog),
            (1, self._host),
            (1, self._execution),
            (1, self._task_container),
            (1, self._task_mode),
            (1, self._metadata),
            (3, self._task_partition),
            (2, self._set_checkpoint),
            (3, self._startpoint),
            (2, self._fan_out),
            (1, self._other),
        ]

    def records(self, tombstone: float, unreadable: float) -> Iterator[tuple[Record, bool]]:
        """Records, and whether they can be read."""
        weights = [weight for weight, _ in self._makers]
        while True:
            kind, name, value = self._rng.choices(self._makers, weights)[0][1]()
            key = self._spelling.write([self._rng.choice([1, 1, 1, 2]), kind, name])
            chance = self._rng.random()
            if chance < unreadable:
                yield self._unreadable(key, kind), False
            elif chance < unreadable + tombstone:
                yield (key, None), True
            else:
                yield (key, value if isinstance(value, bytes) else self._spelling.write(value)), True

    def _unreadable(self, key: bytes, kind: str) -> Record:
        chance = self._rng.random()
        if chance < 0.2:
            return self._rng.choice([(None, b"orphan"), (None, None), (self._rng.choice(_BAD_KEYS), b"{}")])
        if kind == "set-config" and chance < 0.5:
            bad_text = 7 if b"db." in key else self._rng.choice(_BAD_TEXTS)  # a secret's fingerprint can be held
            values = self._rng.choice([{"value": bad_text}, {"value": 7}])
            return key, json.dumps({"values": values}).encode()
        is_other = kind in _OTHER_TYPES
        is_startpoint = kind.startswith("samza-startpoint-v1")  # no bytes delete it
        return key, b"\xff\x00" if is_other else self._rng.choice(_UNREADABLE[is_startpoint:])

    def _envelope(self, values: dict[str, Any]) -> dict[str, Any]:
        if self._rng.random() < 0.04:
            values = self._rng.choice([{}, dict.fromkeys(values)])
        sources = ("job-runner", "SamzaContainer", "Unknown")
        return {
            "host": "host-1",
            "source": self._rng.choice(sources),
            "values": values,
            "username": "samza",
            "timestamp": START_MS + self._rng.randrange(10**6),
        }

    def _set_config(self) -> tuple[str, str, Any]:
        name = self._rng.choice(list(self._config))
        return "set-config", name, self._envelope({"value": self._rng.choice(self._config[name])})

    def _changelog(self) -> tuple[str, str, Any]:
        field = self._rng.choice(["Partition", "partition"])
        return "set-changelog", self._task(), self._envelope({field: str(self._rng.randrange(4))})

    def _host(self) -> tuple[str, str, Any]:
        values = {self._rng.choice(["host", "hostname"]): f"host-{self._rng.randrange(3)}", "jmx-url": "jmx"}
        return "set-container-host-assignment", self._number(3), self._envelope(values)

    def _task_container(self) -> tuple[str, str, Any]:
        return "set-task-container-assignment", self._task(), self._envelope({"containerId": self._number(3)})

    def _execution(self) -> tuple[str, str, Any]:
        values = {"execution-env-container-id": f"container_{self._number(4)}"}
        return "set-execution-env-container-id-mapping", self._number(3), self._envelope(values)

    def _task_mode(self) -> tuple[str, str, Any]:
        mode = self._rng.choice(["Active", "Standby"])
        return "set-task-mode-assignment", self._task(), self._envelope({"taskMode": mode})

    def _metadata(self) -> tuple[str, str, Any]:
        fields = {"epoch-id": self._number(3), "config-id": self._number(3), "job-model-id": self._number(3)}
        known = {name: fields[name] for name in self._rng.sample(list(fields), self._rng.choice([2, 3, 3]))}
        cluster = self._rng.choice(["YARN", "NON_YARN"])
        return (
            "set-job-coordinator-metadata",
            cluster,
            self._envelope({"meta-key": self._spelling.write(known).decode()}),
        )

    def _task_partition(self) -> tuple[str, str, Any]:
        system, stream = self._rng.choice(STREAMS)
        partition: dict[str, Any] = {"system": system, "partition": self._rng.randrange(2), "stream": stream}
        bucket = self._rng.choice([None, -1, -1, 1])
        key = self._spelling.write(partition if bucket is None else partition | {"keyBucket": bucket}).decode()
        tasks = self._rng.sample(TASKS, self._rng.randint(0, 2))
        return "set-task-partition-assignment", key, self._envelope({"taskNames": json.dumps(tasks)})

    def _set_checkpoint(self) -> tuple[str, str, Any]:
        offsets = {self._partition(): self._rng.choice(["7", "007", None, "", "null", "x\x1fy", "1e3"]) for _ in "ab"}
        return "set-checkpoint", self._task(), self._envelope(offsets)

    def _startpoint(self) -> tuple[str, str, Any]:
        task = self._rng.choice(["", "", ".Partition 0", ".tâche.1", ".2"])
        return "samza-startpoint-v1", self._partition() + task, self._one_startpoint()

    def _fan_out(self) -> tuple[str, str, Any]:
        fan_outs = {self._partition(): self._one_startpoint() for _ in range(self._rng.randint(0, 3))}
        at = START_MS + self._rng.randrange(10**6)
        return "samza-startpoint-v1-fan-out", self._task(), {"timestamp": at, "fanOuts": fan_outs}

    def _one_startpoint(self) -> dict[str, Any]:
        kind = self._rng.choice(["Specific", "Timestamp", "Oldest", "Upcoming"])
        places: dict[str, dict[str, Any]] = {
            "Specific": {"specificOffset": "42"},
            "Timestamp": {"timestampOffset": 1_000},
        }
        created = START_MS + self._rng.randrange(3) * 1_000
        return {"@type": f"Startpoint{kind}", "creationTimestamp": created, **places.get(kind, {})}

    def _other(self) -> tuple[str, str, Any]:
        value = self._rng.choice([b"", b"free text", b'{"values":{"a":"b"}}', b"7"])
        return self._rng.choice(_OTHER_TYPES), self._number(3), value

    def _task(self) -> str:
        return self._rng.choice(TASKS)

    def _number(self, count: int) -> str:
        return str(self._rng.randrange(count))

    def _partition(self) -> str:
        system, stream = self._rng.choice(STREAMS)
        return f"{system}.{stream}.{self._rng.randrange(3)}"


_OTHER_TYPES: Final = ("samza-place-container-v1", "set-migration-info", "SET-CONFIG", "of-the-future")
