"""Where a job's tasks run, what they read, how far they are, where they would start."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from coordstream.errors import CoordstreamError
from coordstream.queries.rows import PARTITION, Cut, Row, state
from coordstream.queries.startpoints import type_and_value
from eventlog.errors import known_names, printable_text
from eventlog.postgres.connection import Connection
from projections.job_choice import Job

Relations = Mapping[str, Sequence[Row]]
"""The rows of relations, by the relation's name."""

_NAMING_TASKS: Final = ("task_container", "task_mode", "changelog_mapping", "task_partition", "checkpoint")
_RELATIONS: Final = ("container_host", "container_execution", *_NAMING_TASKS)
_STARTS: Final = ("decided_by", "startpoint_type", "startpoint_value", "starting_offset", "ignored_reason")


def task_relations(connection: Connection, job: Job, cut: Cut) -> Relations:
    """The relations that `task_rows` reads, of one job."""
    return {name: state(connection, name, job, cut) for name in _RELATIONS}


def task_rows(relations: Relations) -> list[Row]:
    """A row for each task that any of the relations names, sorted by name; unknown values are null.

    ``partition_count`` is the number of assigned partitions, ``checkpoint_time`` the record time of the checkpoint.
    """
    names = {row["task_name"] for relation in _NAMING_TASKS for row in relations[relation]}
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
    """A row for each partition that a task is assigned, has a checkpoint of, or would start."""
    assigned, checkpoints, starts = (
        _by_partition(relations[relation], task) for relation in ("task_partition", "checkpoint", "starting_offset")
    )
    return [
        _partition_row(partition, partition in assigned, checkpoints.get(partition, {}), starts.get(partition, {}))
        for partition in sorted(assigned.keys() | checkpoints.keys() | starts.keys())
    ]


def start(row: Row) -> str | None:
    """Where a task would start a partition, and by which rule, such as ``20 (checkpoint)``."""
    if row["decided_by"] is None:
        return None
    place = f"after {row['input_offset']}" if row["startpoint_type"] is None else type_and_value(row)
    return f"{row['starting_offset'] or place} ({row['decided_by']})"


def task_partitions(connection: Connection, job: Job, task: str, cut: Cut, relations: Relations) -> list[Row]:
    """The rows of `partition_rows`; ``relations`` are those of `task_relations`."""
    starts = state(connection, "starting_offset", job, cut)
    return partition_rows({**relations, "starting_offset": starts}, task)


def task_named(rows: list[Row], task: str, job: str, early: str) -> Row:
    """The row of a task. Raises CoordstreamError, which names similar tasks."""
    for row in rows:
        if row["task_name"] == task:
            return row
    known = known_names("tasks", task, [row["task_name"] for row in rows])
    raise CoordstreamError(early or f'Job {job} has no task "{printable_text(task)}".{known}')


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
