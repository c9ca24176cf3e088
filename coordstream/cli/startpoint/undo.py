"""Commands that take back what another one did to startpoints, as they are to be typed."""

import shlex
from collections.abc import Collection, Iterable, Mapping

from coordstream.cli.arguments.input import spelled_partitions
from coordstream.cli.arguments.position import position_word
from coordstream.cli.job.lookup import Job
from eventlog.partition import StartpointKey, startpoint_key_readings
from eventlog.startpoint import Startpoint

Place = tuple[str, str, str | None]
"""System, stream and task of a request."""


def delete_commands(job: Job, keys: Iterable[StartpointKey]) -> list[str]:
    """The commands that delete requests of these keys, and no others."""
    partitions: dict[Place, list[int]] = {}
    for key in keys:
        partitions.setdefault(_place(key), []).append(key.partition.partition)
    tasks: dict[tuple[str, str, str], list[str | None]] = {}
    for (system, stream, task_name), numbers in partitions.items():
        tasks.setdefault((system, stream, spelled_partitions(numbers)), []).append(task_name)
    return [
        _command("delete", job, f"{system}.{stream}.{listed}", names, ())
        for (system, stream, listed), found in tasks.items()
        for names in _told_apart(found)
    ]


def write_commands(job: Job, requests: Mapping[str, Startpoint]) -> list[str]:
    """The commands that request these startpoints again; of what can't be typed there is none."""
    partitions: dict[tuple[Place, str], list[int]] = {}
    for text, startpoint in requests.items():
        word, readings = position_word(startpoint), startpoint_key_readings(text)
        if word is not None and readings:
            partitions.setdefault((_place(readings[0]), word), []).append(readings[0].partition.partition)
    return [
        _command("write", job, f"{system}.{stream}.{spelled_partitions(numbers)}", _listed(task_name), (word,))
        for ((system, stream, task_name), word), numbers in partitions.items()
    ]


def _place(key: StartpointKey) -> Place:
    return key.partition.system, key.partition.stream, key.task_name


def _told_apart(task_names: Collection[str | None]) -> list[list[str]]:
    """One command for requests of every task, one for those of some."""
    named = [task_name for task_name in task_names if task_name is not None]
    return ([[]] if None in task_names else []) + ([named] if named else [])


def _listed(task_name: str | None) -> list[str]:
    return [] if task_name is None else [task_name]


def _command(verb: str, job: Job, given: str, task_names: Iterable[str], more: Iterable[str]) -> str:
    options = [word for task_name in task_names for word in ("--task", task_name)]
    return shlex.join(["coordstream", "startpoint", verb, str(job), given, *more, *options])
