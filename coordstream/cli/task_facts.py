"""What the relations say of tasks, brought together: a row a task, a row a partition of a task."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from coordstream.cli.query.rows import Row

Relations = Mapping[str, Sequence[Row]]
"""The rows of relations, by the relation's name."""

PARTITION: Final = ("system_name", "stream_name", "partition_id", "key_bucket")
NAMING_TASKS: Final = ("task_container", "task_mode", "changelog_mapping", "task_partition", "checkpoint")
_STARTS: Final = ("decided_by", "startpoint_type", "startpoint_value", "starting_offset", "ignored_reason")


def task_rows(relations: Relations) -> list[Row]:
    """A row for each task that any of the relations knows, by name; what nobody says of it is null.

    ``partition_count`` counts what is assigned to it; ``checkpoint_time`` is when its checkpoint was recorded.
    """
    names = {row["task_name"] for relation in NAMING_TASKS for row in relations[relation]}
    containers = _column(relations["task_container"], "task_name", "container_id")
    hosts = _column(relations["container_host"], "container_id", "host_name")
    executions = _column(relations["container_execution"], "container_id", "execution_container_id")
    modes = _column(relations["task_mode"], "task_name", "task_mode")
    changelogs = _column(relations["changelog_mapping"], "task_name", "changelog_partition")
    checkpoints = _column(relations["checkpoint"], "task_name", "record_time")
    assigned = Counter(row["task_name"] for row in relations["task_partition"])
    return [
        {
            "task_name": name,
            "container_id": containers.get(name),
            "host_name": hosts.get(containers.get(name)),
            "execution_container_id": executions.get(containers.get(name)),
            "task_mode": modes.get(name),
            "changelog_partition": changelogs.get(name),
            "partition_count": assigned[name],
            "checkpoint_time": checkpoints.get(name),
        }
        for name in sorted(names)
    ]


def partition_rows(relations: Relations, task: str) -> list[Row]:
    """A row for each partition that is assigned to a task, that it has a checkpoint of, or that it would start."""
    assigned, checkpoints, starts = (
        _by_partition(relations[relation], task) for relation in ("task_partition", "checkpoint", "starting_offset")
    )
    return [
        _partition_row(partition, partition in assigned, checkpoints.get(partition, {}), starts.get(partition, {}))
        for partition in sorted(assigned.keys() | checkpoints.keys() | starts.keys())
    ]


def _partition_row(partition: tuple[Any, ...], is_assigned: bool, checkpoint: Row, start: Row) -> Row:
    return {
        **dict(zip(PARTITION, partition, strict=True)),
        "is_assigned": is_assigned,
        "input_offset": checkpoint.get("input_offset"),
        "checkpoint_version": checkpoint.get("checkpoint_version"),
        "checkpoint_time": checkpoint.get("record_time"),
        **{name: start.get(name) for name in _STARTS},
    }


def _by_partition(rows: Iterable[Row], task: str) -> dict[tuple[Any, ...], Row]:
    return {tuple(row[name] for name in PARTITION): row for row in rows if row["task_name"] == task}


def _column(rows: Iterable[Row], key: str, value: str) -> dict[Any, Any]:
    return {row[key]: row[value] for row in rows}
