"""The messages of a generated job's coordinator stream other than checkpoints."""

import json
from random import Random
from typing import Final

from benchmarks.generated_task import BROADCAST_STREAM, INPUT_STREAMS, GeneratedTask
from eventlog.messages import (
    SetChangelogMapping,
    SetConfig,
    SetContainerHostMapping,
    SetStartpoint,
    SetStartpointFanOut,
    SetTaskContainerMapping,
    SetTaskModeMapping,
    SetTaskPartitionMapping,
)
from eventlog.partition import SystemStreamPartition
from eventlog.wire.coordinator import encode_key
from eventlog.wire.jackson import encode_partition_key

Record = tuple[bytes, bytes | None]

_READ_VERSIONS: Final = ("task.checkpoint.read.versions", ("1", "1,2", "2,1"))
_SECRETS_EVERY: Final = 500
_CONTAINERS: Final = 50


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
        kinds = (self._changelog, self._host, self._container, self._mode, self._partition, self._startpoint)
        make = (*kinds, self._fan_out, self._unknown)[self._pick(8)]
        return make(task, now_ms)

    def _changelog(self, task: GeneratedTask, now_ms: int) -> Record:
        key = encode_key(SetChangelogMapping.message_type, task.name)
        return key, _enveloped({"Partition": str(task.number)}, now_ms)

    def _host(self, _task: GeneratedTask, now_ms: int) -> Record:
        container = self._pick(_CONTAINERS)
        values = {"jmx-url": "", "host": f"192.0.2.{self._pick(200)}", "jmx-tunneling-url": ""}
        return encode_key(SetContainerHostMapping.message_type, str(container)), _enveloped(values, now_ms)

    def _container(self, task: GeneratedTask, now_ms: int) -> Record:
        key = encode_key(SetTaskContainerMapping.message_type, task.name)
        return key, _enveloped({"containerId": str(self._pick(_CONTAINERS))}, now_ms)

    def _mode(self, task: GeneratedTask, now_ms: int) -> Record:
        return encode_key(SetTaskModeMapping.message_type, task.name), _enveloped({"taskMode": "Active"}, now_ms)

    def _partition(self, task: GeneratedTask, now_ms: int) -> Record:
        partition = SystemStreamPartition("kafka", INPUT_STREAMS[self._pick(3)], task.number)
        key = encode_key(SetTaskPartitionMapping.message_type, encode_partition_key(partition))
        return key, _enveloped({"taskNames": _dumps([task.name])}, now_ms)

    def _startpoint(self, task: GeneratedTask, now_ms: int) -> Record:
        text = f"kafka.{INPUT_STREAMS[0]}.{task.number}"
        return encode_key(SetStartpoint.message_type, text), _dumps(self._oldest(now_ms)).encode()

    def _fan_out(self, task: GeneratedTask, now_ms: int) -> Record:
        fan_outs = {f"kafka.{INPUT_STREAMS[0]}.{task.number}": self._oldest(now_ms)}
        value = _dumps({"timestamp": now_ms, "fanOuts": fan_outs})
        return encode_key(SetStartpointFanOut.message_type, task.name), value.encode()

    def _unknown(self, task: GeneratedTask, now_ms: int) -> Record:
        return encode_key("set-generated", task.name), _enveloped({"value": "x" * self._pick(100)}, now_ms)

    def _oldest(self, now_ms: int) -> dict[str, str | int]:
        return {"@type": "StartpointOldest", "creationTimestamp": now_ms}

    def _pick(self, count: int) -> int:
        return int(self._rng.random() * count)


def _config_name(number: int) -> str:
    suffix = "password" if number % _SECRETS_EVERY == 0 else "setting"
    return f"systems.kafka.streams.stream-{number // 10}.{suffix}-{number % 10}"


def _enveloped(values: dict[str, str], now_ms: int) -> bytes:
    fields = {"host": "192.0.2.1", "source": "job-runner", "values": values, "username": "samza", "timestamp": now_ms}
    return _dumps(fields).encode()


def _dumps(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))
