"""Offsets as they are given on the command line: a property file, or TASK/SSP=OFFSET."""

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import typer

from coordstream.errors import CoordstreamError
from eventlog.errors import WireError
from eventlog.partition import SystemStreamPartition
from managers.checkpoints.checkpoint_file import TaskOffsets, decode_file, parse_offsets

STANDARD_INPUT: Final = "-"
_ASSIGNMENT: Final = re.compile(
    r"(?P<task>.+?)/(?P<partition>[^/.=]+\.[^=]+\.[0-9]+)=(?P<offset>.+)",
    re.DOTALL,
)


def given_offsets(words: Sequence[str]) -> TaskOffsets:
    """The offsets of each task: of one property file, ``-`` for standard input, or of assignments.

    Raises:
        typer.BadParameter: a word is neither, or a partition is given two offsets.
        CoordstreamError: the file can't be read, or names no offset.
        CheckpointFileError: a line of it is wrong.
    """
    if len(words) == 1 and (words[0] == STANDARD_INPUT or not _ASSIGNMENT.fullmatch(words[0])):
        return _of_file(words[0])
    offsets: dict[str, dict[SystemStreamPartition, str]] = {}
    for word in words:
        task_name, partition, offset = parse_assignment(word)
        if offsets.setdefault(task_name, {}).setdefault(partition, offset) != offset:
            raise typer.BadParameter(f"{task_name}/{partition} is given two offsets")
    return offsets


def parse_assignment(word: str) -> tuple[str, SystemStreamPartition, str]:
    """Task, partition and offset of ``TASK/SYSTEM.STREAM.PARTITION=OFFSET``; a task's name may hold slashes.

    Raises:
        typer.BadParameter: it is none.
    """
    found = _ASSIGNMENT.fullmatch(word)
    try:
        if found is not None:
            return found["task"], SystemStreamPartition.parse(found["partition"]), found["offset"]
    except WireError:
        pass
    raise typer.BadParameter(f"{word!r} is not written as TASK/SYSTEM.STREAM.PARTITION=OFFSET")


def _of_file(name: str) -> TaskOffsets:
    place = "standard input" if name == STANDARD_INPUT else name
    offsets = parse_offsets(decode_file(_bytes_of(name), place), place, is_strict=True).offsets
    if not offsets:
        raise CoordstreamError(
            f"{place} names no offset: write lines as `coordstream checkpoint write JOB` prints them without a file."
        )
    return offsets


def _bytes_of(name: str) -> bytes:
    if name == STANDARD_INPUT:
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise CoordstreamError(
            f"{name!r} is no TASK/SYSTEM.STREAM.PARTITION=OFFSET, and as a file it can't be read "
            f"({error.strerror}): give offsets, or the name of a file of them."
        ) from None
