"""Properties files of Java: their lines, the configs in them, and the offsets as in those of Samza's CheckpointTool."""

import codecs
import logging
import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from eventlog.errors import ConfigError, WireError, printable_text
from eventlog.frozen_dict import frozen_deeply
from eventlog.partition import NO_KEY_BUCKET, SystemStreamPartition, parse_int32
from eventlog.secret_policy import SecretPolicy, holds_fingerprint
from managers.errors import CheckpointFileError

BLANKS: Final = " \t\f"
"""The white space of the format."""

_NATURAL_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_LETTERS: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
ENCODING: Final = "iso-8859-1"
"""Java's encoding of properties files. Other characters are written as ``\\uXXXX``."""
_BYTE_ORDER_MARKS: Final = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_PROPERTY: Final = re.compile(r"((?:\\.|[^\\=: \t\f])*)[ \t\f]*[=:]?[ \t\f]*(.*)", re.DOTALL)


class Line(NamedTuple):
    """A logical line: natural lines joined where one ends with a backslash. ``number`` is that of the first."""

    number: int
    text: str


def logical_lines(text: str) -> Iterator[Line]:
    """The lines that are neither empty nor comments, without the blanks at their beginning, and with escapes."""
    number, joined, is_continued = 0, "", False
    for here, natural in enumerate(_NATURAL_LINE.findall(text), 1):
        line = natural.lstrip(BLANKS).rstrip("\r\n")
        if not joined:  # also after a backslash alone, which Java forgets
            is_continued = False
            if not line or line[0] in "#!":
                continue
            number = here
        is_continued = (len(line) - len(line.rstrip("\\"))) % 2 == 1
        joined += line.removesuffix("\\") if is_continued else line
        if not is_continued:
            yield Line(number, joined)
            joined = ""
    if is_continued:
        yield Line(number, joined)


def unescape(text: str) -> str:
    """The text that escapes stand for. Raises ValueError, which does not repeat the text: it may be a secret."""
    plain = _ESCAPE.sub(_replacement, text)
    try:
        return plain.encode("utf-16", "surrogatepass").decode("utf-16")  # Java writes one character as a pair
    except UnicodeDecodeError:
        raise ValueError(r"a \u escape is only half of a surrogate pair") from None


def _replacement(found: re.Match[str]) -> str:
    escape = found[1]
    if escape == "u":
        raise ValueError(r"malformed \u escape. Expected four hexadecimal digits")
    return chr(int(escape[1:], 16)) if len(escape) > 1 else _LETTERS.get(escape, escape)


def parse_properties(file: bytes, place: str) -> dict[str, str]:
    """The config in a file; of several lines with a key, the last counts. ``place`` is its name in errors.

    Raises `ConfigError`: a ``\\u`` escape is malformed, a key is empty, a character is half of a pair, a key or
    value has a null character or the fingerprint of a secret, or the file begins with a byte order mark.
    """
    if file.startswith(_BYTE_ORDER_MARKS):
        raise ConfigError(
            f"Invalid line 1 of {place}: it has a byte order mark, which Samza takes for a part of the key. "
            "Save the file without it."
        )
    return dict(_parse(line, place) for line in logical_lines(file.decode(ENCODING)))


def _parse(line: Line, place: str) -> tuple[str, str]:
    found = _PROPERTY.fullmatch(line.text)
    key, value = found.groups() if found else (line.text, "")
    try:
        return _checked(unescape(key), unescape(value))
    except ValueError as error:
        raise ConfigError(f"Invalid line {line.number} of {place}: {error}.") from None


def _checked(key: str, value: str) -> tuple[str, str]:
    if not key:
        raise ValueError("the key is empty. Expected key=value")
    if "\0" in key + value:
        raise ValueError(f"{printable_text(key)} has a null character, which Postgres cannot store. Remove it")
    if holds_fingerprint(f"{key}\n{value}".encode()):
        raise ValueError(f"{printable_text(key)} has the fingerprint of a secret. Use the secret itself")
    return key, value


TaskOffsets = Mapping[str, Mapping[SystemStreamPartition, str]]

_PREFIX: Final = "tasknames."
_BLANK: Final = r"[ \t\f]*"
_LINE: Final = re.compile(
    r"tasknames\.(?P<task>.+)\.systems\.(?P<system>[^.]+|.+)\.streams\.(?P<stream>.+)"  # a system holds no dot
    r"\.partitions\.(?P<partition>[0-9]+)"
    rf"(?:{_BLANK}[=:]{_BLANK}|[ \t\f]+)(?P<offset>.*)",
    re.DOTALL,
)
_ESCAPES: Final = str.maketrans({"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r", "\f": r"\f"})
_SECRETS: Final = SecretPolicy(b"")  # for what counts as one; nothing is fingerprinted
_logger: Final = logging.getLogger(__name__)


class OffsetFile(NamedTuple):
    """The offsets in a file by task, and the lines that are not offsets."""

    offsets: TaskOffsets
    ignored: tuple[Line, ...]


def parse_offsets(text: str, place: str = "the file", *, is_strict: bool = False) -> OffsetFile:
    """Parse a properties file of Samza's CheckpointTool (SAMZA-1505) into the offsets of each task.

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
    return OffsetFile(frozen_deeply(offsets), tuple(ignored))


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
            f"tasknames.{task_name.translate(_ESCAPES)}.systems.{partition.system.translate(_ESCAPES)}"
            f".streams.{partition.stream.translate(_ESCAPES)}.partitions.{partition.partition}"
        )
        if offset is None:
            yield f"# {name} has no offset"
        elif partition.key_bucket != NO_KEY_BUCKET:
            yield f"# {name}, keys {partition.key_bucket} = {offset.translate(_ESCAPES)}"
        else:
            yield f"{name} = {offset.translate(_ESCAPES)}"


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
