"""The offsets of tasks, as users type them, or in a property file of Samza's CheckpointTool."""

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import typer

from coordstream.errors import CoordstreamError
from eventlog.errors import WireError, system_reason
from eventlog.partition import SystemStreamPartition
from managers.config.property_file import TaskOffsets, decode_file, parse_offsets

STANDARD_INPUT: Final = "-"
_ASSIGNMENT: Final = re.compile(r"(?P<task>.+?)/(?P<partition>[^/.=]+\.[^=]+\.[0-9]+)=(?P<offset>.+)", re.DOTALL)


def parse_offsets_of_tasks(words: Sequence[str]) -> TaskOffsets:
    """Parse ``TASK/SYSTEM.STREAM.PARTITION=OFFSET`` words; names of tasks may contain slashes.

    Raises:
        typer.BadParameter: A word has another form, or a partition has two offsets.
    """
    offsets: dict[str, dict[SystemStreamPartition, str]] = {}
    for word in words:
        task_name, partition, offset = _parse(word)
        if offsets.setdefault(task_name, {}).setdefault(partition, offset) != offset:
            raise typer.BadParameter(f"'{task_name}/{partition}' has two offsets. Use one.")
    return offsets


def read_offsets(name: str) -> TaskOffsets:
    """Read the offsets in a property file; ``-`` is standard input.

    Raises:
        CoordstreamError: The file cannot be read, or contains no offset.
        CheckpointFileError: A line of the file is invalid.
    """
    place = "standard input" if name == STANDARD_INPUT else name
    offsets = parse_offsets(decode_file(_read_bytes(name), place), place, is_strict=True).offsets
    if not offsets:
        raise CoordstreamError(
            f"No offsets in {place}. Use lines in the format that `coordstream checkpoint write JOB` prints."
        )
    return offsets


def _parse(word: str) -> tuple[str, SystemStreamPartition, str]:
    found = _ASSIGNMENT.fullmatch(word)
    try:
        if found is not None:
            return found["task"], SystemStreamPartition.parse(found["partition"]), found["offset"]
    except WireError:
        pass
    raise typer.BadParameter(
        f"Invalid offset {word!r}. Expected TASK/SYSTEM.STREAM.PARTITION=OFFSET, for example "
        "'Partition 0/kafka.page-views.0=42'."
    )


def _read_bytes(name: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if name == STANDARD_INPUT else Path(name).read_bytes()
    except OSError as error:
        raise CoordstreamError(f"Cannot access {name!r}: {system_reason(error)}. Use a property file.") from None
