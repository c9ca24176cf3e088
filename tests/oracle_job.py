"""The plain fold of a job's two logs: its checkpoints by the rule that config gives, and every relation's rows."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from eventlog.events import RecordedEvent
from tests.oracle import (
    Living,
    Row,
    config_of,
    coordinator_rows,
    coordinator_state,
    held,
    held_or_none,
    living,
    partition_of,
    read_json,
)

DEFAULT_GROUPER: Final = "org.apache.samza.container.grouper.stream.GroupByPartitionFactory"
KAFKA_STATE_FACTORY: Final = "org.apache.samza.storage.KafkaChangelogStateBackendFactory"
_GROUPER_KEY: Final = "job.systemstreampartition.grouper.factory"
_VERSIONS: Final = {"checkpoint": 1, "checkpoint-v2": 2}
_STATE_OFFSET: Final = re.compile(r"(\d+-\d+):([^:]+)")

Events = Sequence[RecordedEvent]
Relations = dict[str, list[Row]]


def job_relations(coordinator: Events, checkpoint: Events | None) -> Relations:
    """Rows of every relation after these events, in no order; ``checkpoint`` None: the job has no such topic."""
    state = coordinator_state(coordinator)
    topic = [] if checkpoint is None else living(checkpoint, _checkpoint_key, _checkpoint_value)
    config = config_of(state)
    chosen = list(_chosen(config, state, topic, checkpoint is not None))
    changelogs = _changelogs(config)
    checkpoints = [row for version, one in chosen for row in _input_rows(version, one, changelogs)]
    relations = coordinator_rows(state, {(*row[1:4], row[0]) for row in checkpoints})
    relations["other_message"] += [
        (kind, task, one.said, one.event.offset)
        for one in topic
        for kind, task, *_ in [one.meaning]
        if kind not in _VERSIONS
    ]
    relations["checkpoint"] = checkpoints
    relations["state_checkpoint"] = [row for version, one in chosen for row in _state_rows(version, one, changelogs)]
    return relations


def job_counts(coordinator: Events, checkpoint: Events | None) -> Row:
    """Numbers of config keys, tasks and containers, as the relation ``job`` has them."""
    state = coordinator_state(coordinator)
    topic = [] if checkpoint is None else living(checkpoint, _checkpoint_key, _checkpoint_value)
    rows = coordinator_rows(state)
    tasks = {row[0] for row in rows["task_container"]} or {row[-2] for row in rows["task_partition"]}
    tasks = tasks or _committing(state if checkpoint is None else topic)
    return len(rows["config"]), len(tasks), len({row[1] for row in rows["task_container"]})


def _committing(living_keys: Sequence[Living]) -> set[str]:
    """The tasks that have a checkpoint of the grouper of the newest one."""
    known = [one for one in living_keys if one.meaning[0] in (*_VERSIONS, "set-checkpoint")]
    newest = max(known, key=lambda one: one.event.offset, default=None)
    return {one.meaning[1] for one in known if newest is not None and one.meaning[2:3] == newest.meaning[2:3]}


def _chosen(
    config: dict[str, str], state: Sequence[Living], topic: Sequence[Living], has_topic: bool
) -> Iterator[tuple[int, Living]]:
    if not has_topic:
        yield from ((0, one) for one in state if one.meaning[0] == "set-checkpoint")
        return
    known = [one for one in topic if one.meaning[0] in _VERSIONS]
    newest = max(known, key=lambda one: one.event.offset, default=None)
    grouper = (config.get(_GROUPER_KEY) or DEFAULT_GROUPER) if config else newest.meaning[2] if newest else None
    by_task: dict[str, dict[int, Living]] = {}
    for one in known:
        if one.meaning[2] == grouper:
            by_task.setdefault(one.meaning[1], {})[_VERSIONS[one.meaning[0]]] = one
    for candidates in by_task.values():
        yield from _winner(config, candidates)


def _winner(config: dict[str, str], candidates: dict[int, Living]) -> Iterator[tuple[int, Living]]:
    listed = config.get("task.checkpoint.read.versions", "1").rstrip(", ")
    versions = [int(number) for number in listed.split(",")] if re.fullmatch(r"[\d, ]*\d[\d, ]*", listed) else [1]
    max_age = int(config.get("task.live.checkpoint.max.age", "600000"))
    winner: tuple[int, Living] | None = None
    for version in dict.fromkeys(versions):
        other = candidates.get(version)
        if other is None:
            continue
        if winner is None:
            winner = version, other
            continue
        best = winner[1].event
        if other.event.offset > best.offset and other.event.timestamp - best.timestamp > max_age:
            winner = version, other
    if winner is not None:
        yield winner


def _changelogs(config: dict[str, str]) -> dict[str, str]:
    system = config.get("job.changelog.system", config.get("job.default.system", ""))
    named = {key: value for key, value in config.items() if re.fullmatch(r"stores\..+\.changelog", key)}
    return {
        value if "." in value else f"{system}.{value}": key.removeprefix("stores.").removesuffix(".changelog")
        for key, value in named.items()
    }


def _inputs_and_states(version: int, said: Any, changelogs: dict[str, str]) -> tuple[dict[Row, Any], dict[Row, Any]]:
    """Offsets of the input partitions, and of the changelog partitions that stand among them in V1."""
    if version == 0:
        return said, {}
    states = {
        partition: offset
        for partition, offset in said[0].items()
        if version == 1 and (_STATE_OFFSET.fullmatch(offset or "") or f"{partition[0]}.{partition[1]}" in changelogs)
    }
    return {partition: offset for partition, offset in said[0].items() if partition not in states}, states


def _checkpoint_id(version: int, said: Any) -> str | None:
    if version == 0:
        return None
    if version == 2:
        return held_or_none(said[1])
    marked = (_STATE_OFFSET.fullmatch(offset or "") for offset in said[0].values())
    return next((found[1] for found in marked if found), None)


def _input_rows(version: int, one: Living, changelogs: dict[str, str]) -> Iterator[Row]:
    inputs, _ = _inputs_and_states(version, one.said, changelogs)
    origin = "checkpoint-topic" if version else "coordinator-stream"
    checkpoint_id = _checkpoint_id(version, one.said)
    for partition, offset in inputs.items():
        number = int(offset) if offset is not None and re.fullmatch(r"-?\d{1,19}", offset) else None
        number = None if number is not None and not -(2**63) <= number < 2**63 else number
        yield one.meaning[1], *partition, offset, number, checkpoint_id, version, origin, one.event.offset


def _state_rows(version: int, one: Living, changelogs: dict[str, str]) -> Iterator[Row]:
    task, checkpoint_id = one.meaning[1], _checkpoint_id(version, one.said)
    end = (checkpoint_id, version, one.event.offset)
    _, states = _inputs_and_states(version, one.said, changelogs)
    for (system, stream, number, _), text in states.items():
        marked = _STATE_OFFSET.fullmatch(text or "")
        offset = text if marked is None else None if marked[2] == "null" else marked[2]
        store = changelogs.get(f"{system}.{stream}", "")
        yield task, store, KAFKA_STATE_FACTORY, None, system, stream, number, offset, *end
    if version == 2:
        for factory, stores in one.said[2].items():
            for store, marker in stores.items():
                yield task, store, factory, marker, *_kafka_marker(marker), *end


def _kafka_marker(marker: str) -> Row:
    if marker.startswith("{"):
        fields = read_json(marker.encode())
        changelog = fields["changelog-ssp"]
        return changelog["system"], changelog["stream"], changelog["partition"], fields["changelog-offset"]
    parts = marker.split(";")
    if len(parts) != 5:
        return None, None, None, None
    return parts[1], parts[2], int(parts[3]), None if parts[4] == "null" else parts[4]


def _checkpoint_key(key: bytes) -> Row:
    fields = read_json(key)
    kind = held(fields["type"])
    if kind not in _VERSIONS:
        return kind, fields.get("taskName", ""), ""
    return kind, held(fields["taskName"]), held(fields["systemstreampartition-grouper-factory"])


def _checkpoint_value(meaning: Row, value: bytes) -> Any:
    if meaning[0] not in _VERSIONS:
        return held(value.decode("utf-8"))
    fields = read_json(value)
    if meaning[0] == "checkpoint":
        return (dict(_v1_entry(label, entry) for label, entry in fields.items()),)
    offsets = {partition_of(name): held(offset) for name, offset in fields["input-offsets"].items()}
    markers = fields["state-checkpoint-markers"]
    for stores in markers.values():
        for marker in stores.values():
            held(marker)
    return offsets, held_or_none(fields.get("checkpoint-id")), markers


def _v1_entry(label: str, entry: dict[str, Any]) -> tuple[Row, str | None]:
    partition = (held(entry["system"]), held(entry["stream"]), int(held(entry["partition"])))
    bucket = re.search(r", (-?\d+), (-?\d+)]$", label)
    return (*partition, int(bucket[2]) if bucket else -1), held_or_none(entry["offset"])
