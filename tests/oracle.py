"""The plain fold: what the relations of one job must say after some events, from `json.loads` and dicts alone.

It shares no code with the projections, so that both are wrong the same way only by chance. Rows have the relation's own
columns and the log offset, as `ROWS` names them.
"""

import hashlib
import hmac
import json
import re
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

from eventlog.events import RecordedEvent

FINGERPRINT_KEY: Final = b"fingerprints of the tests' secret"[:32]
_SSP: Final = "system_name, stream_name, partition_id, key_bucket"

ROWS: Final = {
    "config": "config_key, config_value, is_sensitive",
    "changelog_mapping": "task_name, changelog_partition",
    "container_host": "container_id, host_name, jmx_url, jmx_tunneling_url",
    "container_execution": "container_id, execution_container_id",
    "task_container": "task_name, container_id",
    "task_mode": "task_name, task_mode",
    "job_coordinator_metadata": "cluster_type, epoch_id, config_id, job_model_id",
    "task_partition": f"{_SSP}, task_name",
    "startpoint": f"{_SSP}, task_name, startpoint_type, startpoint_value, created_at, expires_at, is_ambiguous",
    "startpoint_fan_out": f"task_name, {_SSP}, startpoint_type, startpoint_value, created_at, fanned_out_at",
    "other_message": "message_type, message_key, message_value",
    "checkpoint": f"task_name, {_SSP}, input_offset, input_offset_number, checkpoint_id, checkpoint_version, origin",
    "state_checkpoint": "task_name, store_name, factory_name, marker, changelog_system, changelog_stream,"
    " changelog_partition, changelog_offset, checkpoint_id, checkpoint_version",
}
"""The own columns of each relation that the plain fold knows."""

Row = tuple[Any, ...]
UNREADABLE: Final = (ValueError, KeyError, TypeError, AttributeError)
"""What reading an event's bytes raises where they can't be understood."""
_UNHELD: Final = re.compile("[\0\ud800-\udfff]")
_TWELVE_HOURS_MS: Final = 43_200_000


class Living(NamedTuple):
    """The newest readable event of a key: the key's meaning (type first), what its value says, the event."""

    meaning: Row
    said: Any
    event: RecordedEvent


def read_json(data: bytes) -> Any:
    """A JSON text; raises ValueError where it is none."""
    return json.loads(data.decode("utf-8"))


def held(value: Any) -> str:
    """A text that Postgres can hold; raises ValueError for anything else."""
    if not isinstance(value, str) or _UNHELD.search(value):
        raise ValueError("no text that a table can hold")
    return value


def held_or_none(value: Any) -> str | None:
    """A text, or None."""
    return None if value is None else held(value)


def partition_of(text: str) -> Row:
    """``system.stream.partition`` as a row's four columns."""
    system, _, rest = held(text).partition(".")
    stream, dot, number = rest.rpartition(".")
    if not dot:
        raise ValueError("no partition")
    return system, stream, int(number), -1


def living(
    events: Sequence[RecordedEvent], read_key: Callable[[bytes], Row], read_value: Callable[[Row, bytes], Any]
) -> list[Living]:
    """The newest live event of each key; several spellings of a key count as one. Undecodable events have no effect."""
    newest: dict[bytes, Living] = {}
    for event in events:
        try:
            meaning = read_key(event.key) if event.key is not None else None
            said = None if meaning is None or event.value is None else read_value(meaning, event.value)
        except UNREADABLE:
            continue
        if event.key is None or meaning is None:
            continue
        newest.pop(event.key, None)
        if said is not None:
            newest[event.key] = Living(meaning, said, event)
    by_meaning: dict[Row, Living] = {}
    for one in sorted(newest.values(), key=lambda one: one.event.offset):
        by_meaning[one.meaning] = one
    return list(by_meaning.values())


def coordinator_state(events: Sequence[RecordedEvent]) -> list[Living]:
    """The live messages of a coordinator stream."""
    return living(events, read_coordinator_key, read_coordinator_value)


def config_of(state: Sequence[Living]) -> dict[str, str]:
    """The job's config, secrets in clear."""
    return {one.meaning[1]: one.said for one in state if one.meaning[0] == "set-config"}


def coordinator_rows(state: Sequence[Living], checkpointed: Collection[Row] = ()) -> dict[str, list[Row]]:
    """Rows of every relation that the coordinator stream makes.

    ``checkpointed`` is what the checkpoints say who reads what (system, stream, partition, task): it settles what
    startpoints mean where nothing is assigned.
    """
    rows: dict[str, list[Row]] = {name: [] for name in ROWS if not name.endswith("checkpoint")}
    standby = {
        one.meaning[1] for one in state if one.meaning[0] == "set-task-mode-assignment" and one.said == "Standby"
    }
    assigned = {(*one.meaning[1:4], task) for one in state if one.meaning[0] == _TASK_PARTITION for task in one.said}
    reads = {row for row in assigned if row[3] not in standby} if assigned else set(checkpointed)
    inputs = {row for row in reads if _is_input(config_of(state), row)}
    for one in state:
        name, make = RELATION_BY_TYPE.get(one.meaning[0], ("", _nothing))
        if one.meaning[0] == "samza-startpoint-v1":
            rows["startpoint"].append((*_requested(one, inputs, reads), one.event.offset))
        elif name:
            rows[name] += [(*row, one.event.offset) for row in make(one.meaning[1:], one.said)]
        elif one.meaning[0] != "set-checkpoint":
            rows["other_message"].append((*one.meaning, one.said, one.event.offset))
    return rows


def log_times(events: Sequence[RecordedEvent], archived_ms: int) -> list[int]:
    """log_time of each event, in ms: the highest time so far that is not an hour ahead of when it was archived."""
    highest: int | None = None
    times = []
    for event in events:
        if event.timestamp <= archived_ms + 3_600_000:
            highest = event.timestamp if highest is None else max(highest, event.timestamp)
        elif highest is None:
            highest = archived_ms
        times.append(highest)
    return times


def to_time(ms: int | None) -> datetime | None:
    """A time as timestamptz gives it."""
    return None if ms is None else datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)


_TASK_PARTITION: Final = "set-task-partition-assignment"
_TASK_MODE: Final = "set-task-mode-assignment"


def read_coordinator_key(key: bytes) -> Row:
    """Type and name of a key, the name in columns; raises an error of reading where it says nothing."""
    _, kind, name = read_json(key)[:3]
    if held(kind) == _TASK_PARTITION:
        fields = read_json(held(name).encode())
        return kind, held(fields["system"]), held(fields["stream"]), fields["partition"], fields.get("keyBucket", -1)
    return kind, held(name)


def read_coordinator_value(meaning: Row, value: bytes) -> Any:
    """What a value says under a key of that meaning; None: that the key ends. Raises an error of reading."""
    kind = meaning[0]
    if kind not in _MAIN_FIELDS:
        return _UNENVELOPED.get(kind, _whole_text)(value)
    values = read_json(value)["values"]
    if not isinstance(values, dict):
        raise TypeError("no values")
    if kind == "set-checkpoint":
        return {partition_of(name): held_or_none(offset) for name, offset in values.items()}
    main = next((values[name] for name in _MAIN_FIELDS[kind] if values.get(name) is not None), None)
    return None if main is None else _main_value(kind, held(main), values)


def _whole_text(value: bytes) -> str:
    return held(value.decode("utf-8"))


def _main_value(kind: str, main: str, values: dict[str, Any]) -> Any:
    if kind == "set-changelog":
        return int(main)
    if kind == "set-container-host-assignment":
        return main, held_or_none(values.get("jmx-url")), held_or_none(values.get("jmx-tunneling-url"))
    if kind == "set-job-coordinator-metadata":
        fields = read_json(main.encode())
        return tuple(held_or_none(fields.get(name)) for name in ("epoch-id", "config-id", "job-model-id"))
    if kind == _TASK_PARTITION:
        return tuple(dict.fromkeys(held(task) for task in read_json(main.encode())))
    return main


def _startpoint(value: Any) -> tuple[str, str | None, int]:
    kind = {"StartpointSpecific": "specific", "StartpointTimestamp": "timestamp"}.get(value["@type"])
    kind = kind or {"StartpointOldest": "oldest", "StartpointUpcoming": "upcoming"}[value["@type"]]
    place = {"specific": value.get("specificOffset"), "timestamp": value.get("timestampOffset")}.get(kind)
    return kind, None if place is None else str(place), int(value["creationTimestamp"])


def _fan_out(value: bytes) -> tuple[int | None, dict[Row, tuple[str, str | None, int]]]:
    fields = read_json(value)
    return fields["timestamp"], {partition_of(name): _startpoint(one) for name, one in fields["fanOuts"].items()}


_MAIN_FIELDS: Final[dict[str, tuple[str, ...]]] = {
    "set-config": ("value",),
    "set-checkpoint": (),
    "set-changelog": ("Partition", "partition"),
    "set-container-host-assignment": ("host", "hostname"),
    "set-execution-env-container-id-mapping": ("execution-env-container-id",),
    "set-task-container-assignment": ("containerId",),
    _TASK_MODE: ("taskMode",),
    "set-job-coordinator-metadata": ("meta-key",),
    _TASK_PARTITION: ("taskNames",),
}
_UNENVELOPED: Final[dict[str, Callable[[bytes], Any]]] = {
    "samza-startpoint-v1": lambda value: _startpoint(read_json(value)),
    "samza-startpoint-v1-fan-out": _fan_out,
}


def _config_rows(key: Row, value: str) -> list[Row]:
    is_sensitive = "password" in key[0].lower() or re.search(r"://[^/@:]*:[^/@]+@", value) is not None
    shown = "hmac-sha256:" + hmac.new(FINGERPRINT_KEY, value.encode(), hashlib.sha256).hexdigest()
    return [(key[0], shown if is_sensitive else value, is_sensitive)]


def _fan_out_rows(key: Row, said: Any) -> list[Row]:
    at, fan_outs = said
    return [
        (key[0], *partition, kind, place, to_time(created), to_time(at))
        for partition, (kind, place, created) in fan_outs.items()
    ]


def _nothing(_key: Row, _said: Any) -> list[Row]:
    return []


RELATION_BY_TYPE: Final[dict[str, tuple[str, Callable[[Row, Any], list[Row]]]]] = {
    "set-config": ("config", _config_rows),
    "set-changelog": ("changelog_mapping", lambda key, partition: [(key[0], partition)]),
    "set-container-host-assignment": ("container_host", lambda key, host: [(key[0], *host)]),
    "set-execution-env-container-id-mapping": ("container_execution", lambda key, given: [(key[0], given)]),
    "set-task-container-assignment": ("task_container", lambda key, container: [(key[0], container)]),
    _TASK_MODE: ("task_mode", lambda key, mode: [(key[0], mode)]),
    "set-job-coordinator-metadata": ("job_coordinator_metadata", lambda key, ids: [(key[0], *ids)]),
    _TASK_PARTITION: ("task_partition", lambda key, tasks: [(*key, task) for task in tasks]),
    "samza-startpoint-v1-fan-out": ("startpoint_fan_out", _fan_out_rows),
}


def _is_input(config: dict[str, str], row: Row) -> bool:
    """Whether config names a stream as input, by its whole name; if it names none, each stream is one."""
    named = [config[key] for key in ("task.inputs", "task.broadcast.inputs") if key in config]
    return not named or f"{row[0]}.{row[1]}" in {name.partition("#")[0].strip() for name in ",".join(named).split(",")}


def _known(readings: list[Row], reads: set[Row]) -> list[Row]:
    return [
        reading for reading in readings if any(reading[:3] == row[:3] and reading[3] in (None, row[3]) for row in reads)
    ]


def _requested(one: Living, inputs: set[Row], reads: set[Row]) -> Row:
    parts = one.meaning[1].split(".")
    whole = [(parts[0], ".".join(parts[1:-1]), int(parts[-1]), None)] if parts[-1].isdigit() else []
    with_task = [
        (parts[0], ".".join(parts[1:at]), int(parts[at]), ".".join(parts[at + 1 :]))
        for at in range(len(parts) - 2, 1, -1)
        if parts[at].isdigit()
    ]
    readings = whole + with_task
    known = _known(readings, inputs) or _known(readings, reads)
    system, stream, number, task = (known if len(readings) > 1 and known else readings)[0]
    kind, place, created = one.said
    expires = to_time(created + _TWELVE_HOURS_MS)
    is_ambiguous = len(readings) > 1 and len(known) != 1
    return system, stream, number, -1, task, kind, place, to_time(created), expires, is_ambiguous
