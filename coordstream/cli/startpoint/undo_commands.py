"""Commands that undo a change of startpoint requests, for users to copy."""

import shlex
from collections.abc import Collection, Iterable, Mapping

from coordstream.cli.positions import format_partitions, format_position
from eventlog.partition import StartpointKey, startpoint_key_readings
from eventlog.startpoint import Startpoint
from projections.job_choice import Job

Place = tuple[str, str, str | None]
"""System, stream and task of a request."""


def delete_commands(job: Job, keys: Iterable[StartpointKey]) -> list[str]:
    """The commands that delete the requests with these keys, and no others."""
    partitions: dict[Place, list[int]] = {}
    for key in keys:
        partitions.setdefault(_place(key), []).append(key.partition.partition)
    tasks: dict[tuple[str, str, str], list[str | None]] = {}
    for (system, stream, task_name), numbers in partitions.items():
        tasks.setdefault((system, stream, format_partitions(numbers)), []).append(task_name)
    return [
        _command("delete", job, f"{system}.{stream}.{listed}", names, ())
        for (system, stream, listed), found in tasks.items()
        for names in _by_scope(found)
    ]


def write_commands(job: Job, requests: Mapping[str, Startpoint]) -> list[str]:
    """The commands that write these requests again, except those that no command can write."""
    partitions: dict[tuple[Place, str], list[int]] = {}
    for text, startpoint in requests.items():
        word, readings = format_position(startpoint), startpoint_key_readings(text)
        if word is not None and readings:
            partitions.setdefault((_place(readings[0]), word), []).append(readings[0].partition.partition)
    return [
        _command("write", job, f"{system}.{stream}.{format_partitions(numbers)}", _tasks(task_name), (word,))
        for ((system, stream, task_name), word), numbers in partitions.items()
    ]


def _place(key: StartpointKey) -> Place:
    return key.partition.system, key.partition.stream, key.task_name


def _by_scope(task_names: Collection[str | None]) -> list[list[str]]:
    """The tasks of one command for requests of every task, and of one for requests of single tasks."""
    named = [task_name for task_name in task_names if task_name is not None]
    return ([[]] if None in task_names else []) + ([named] if named else [])


def _tasks(task_name: str | None) -> list[str]:
    return [] if task_name is None else [task_name]


def _command(verb: str, job: Job, input_: str, task_names: Iterable[str], more: Iterable[str]) -> str:
    options = [word for task_name in task_names for word in ("--task", task_name)]
    return shlex.join(["coordstream", "startpoint", verb, str(job), input_, *more, *options])
