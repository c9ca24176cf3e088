"""Samza's property file of offsets: ``tasknames.<task>.systems.<system>.streams.<stream>.partitions.<n>=<offset>``."""

import logging
import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from eventlog.errors import WireError
from eventlog.frozen_dict import frozen_each
from eventlog.partition import NO_KEY_BUCKET, SystemStreamPartition, parse_int32
from eventlog.secret_policy import SecretPolicy
from managers.config.property_file import BLANKS, Line, logical_lines, unescape
from managers.errors import CheckpointFileError

TaskOffsets = Mapping[str, Mapping[SystemStreamPartition, str]]

_PREFIX: Final = "tasknames."
_BLANK: Final = r"[ \t\f]*"
_LINE: Final = re.compile(
    r"tasknames\.(?P<task>.+)\.systems\.(?P<system>[^.]+|.+)\.streams\.(?P<stream>.+)"  # a system holds no dot
    r"\.partitions\.(?P<partition>[0-9]+)"
    rf"(?:{_BLANK}[=:]{_BLANK}|[ \t\f]+)(?P<offset>.*)",
    re.DOTALL,
)
_UNESCAPED: Final = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\f": "\\f"}
_SECRETS: Final = SecretPolicy(b"")  # for what counts as one; nothing is fingerprinted
_logger: Final = logging.getLogger(__name__)


class OffsetFile(NamedTuple):
    """The offsets in a file by task, and the lines that are not offsets."""

    offsets: TaskOffsets
    ignored: tuple[Line, ...]


def parse_offsets(text: str, place: str = "the file", *, is_strict: bool = False) -> OffsetFile:
    """Parse a property file of Samza's CheckpointTool (SAMZA-1505) into the offsets of each task.

    Other lines are ignored, with a warning. ``is_strict`` refuses lines that begin like offsets, or are not properties.
    Spaces in task names may be escaped, as in Java's files, or not, as Samza's tool prints them. Raises
    `CheckpointFileError` if a partition has two different offsets or none, or an escape is invalid.
    """
    offsets: dict[str, dict[SystemStreamPartition, str]] = {}
    ignored: list[Line] = []
    for line in _lines(text, place):
        found = _LINE.fullmatch(line.text)
        if found is None:
            _ignore(line, place, is_strict=is_strict)
            ignored.append(line)
        else:
            _add(offsets.setdefault(found["task"], {}), found, place, line.number)
    return OffsetFile(frozen_each(offsets), tuple(ignored))


def decode_file(data: bytes, place: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CheckpointFileError(place, data[: error.start].count(b"\n") + 1, "it is not UTF-8") from None


def property_lines(task_name: str, offsets: Mapping[SystemStreamPartition, str | None]) -> Iterator[str]:
    """The lines of a task, sorted by partition, as Samza's tool prints them.

    A partition without an offset, or with a key bucket, for which the format has no syntax, is a comment.
    """
    for partition, offset in sorted(offsets.items()):
        name = (
            f"tasknames.{_escape(task_name)}.systems.{_escape(partition.system)}"
            f".streams.{_escape(partition.stream)}.partitions.{partition.partition}"
        )
        if offset is None:
            yield f"# {name} has no offset"
        elif partition.key_bucket != NO_KEY_BUCKET:
            yield f"# {name}, keys {partition.key_bucket} = {_escape(offset)}"
        else:
            yield f"{name} = {_escape(offset)}"


def redact(line: Line) -> str:
    """A line for a message; only its name if it may contain a secret."""
    name = re.split(r"[=:\s]", line.text, maxsplit=1)[0]
    return f"{name}=…" if _SECRETS.is_secret_name(name) or _SECRETS.holds_secret(line.text) else line.text


def _ignore(line: Line, place: str, *, is_strict: bool) -> None:
    if is_strict and line.text.startswith(_PREFIX):
        raise CheckpointFileError(
            place,
            line.number,
            f"{redact(line)!r} is not tasknames.<task>.systems.<system>.streams.<stream>.partitions.<n>=<offset>",
        )
    if is_strict and not re.search(r"[=:]", line.text):
        raise CheckpointFileError(place, line.number, f"{redact(line)!r} is not a property")
    _logger.warning("Ignoring line %d of %s, which is not an offset: %s", line.number, place, redact(line))


def _add(offsets: dict[SystemStreamPartition, str], found: re.Match[str], place: str, number: int) -> None:
    if "." in found["system"]:
        raise CheckpointFileError(place, number, f"the system {found['system']!r} contains a dot")
    try:
        partition_id = parse_int32(found["partition"], "bad_partition", "the partition")
    except WireError as error:
        raise CheckpointFileError(place, number, error.detail) from None
    partition = SystemStreamPartition(found["system"], found["stream"], partition_id)
    offset = found["offset"].strip(BLANKS)
    if not offset:
        raise CheckpointFileError(place, number, f"{partition} has no offset")
    if offsets.setdefault(partition, offset) != offset:
        raise CheckpointFileError(place, number, f"{partition} has a different offset in an earlier line")


def _lines(text: str, place: str) -> Iterator[Line]:
    """The logical lines of a file, without escapes."""
    for line in logical_lines(text):
        try:
            yield line._replace(text=unescape(line.text))
        except ValueError as error:
            raise CheckpointFileError(place, line.number, str(error)) from None


def _escape(text: str) -> str:
    return "".join(_UNESCAPED.get(letter, letter) for letter in text)
