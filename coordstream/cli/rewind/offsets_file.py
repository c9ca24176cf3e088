"""Reads a CSV file of offsets: the output of `checkpoint show --csv` or `rewind plan --csv`, or a user's own."""

import csv
import io
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from coordstream.cli.arguments import parse_integer
from coordstream.errors import CoordstreamError
from eventlog.partition import NO_KEY_BUCKET, SystemStreamPartition
from managers.rewind.rewind_targets import Reader
from projections.job_choice import Job

STANDARD_INPUT: Final = "-"
_NAMES: Final = ("task_name", "system_name", "stream_name", "partition_id")
_OFFSETS: Final[Mapping[str, int]] = {"to_offset": 0, "input_offset": 1}
"""How much to add to a column for the next offset to read; the first column that the file has is used."""


def read_offsets_file(name: str, job: Job) -> dict[Reader, int]:
    """The next offset to read of each task and partition in a CSV file; ``-`` is standard input.

    The column ``to_offset`` has the next offset to read, or ``input_offset`` the last processed one. ``key_bucket``,
    ``job_name`` and ``job_id`` are optional; other columns are ignored.

    Raises:
        CoordstreamError: the file is not CSV, lacks a column, or a line is invalid or of another job.
        OSError: the file cannot be read.
    """
    place = "standard input" if name == STANDARD_INPUT else name
    lines = csv.DictReader(io.StringIO(_read(name, place)), strict=True)
    try:
        columns = list(lines.fieldnames or ())
        offset_column = _offset_column(columns, place)
        found = _offsets(lines, offset_column, job, place)
    except csv.Error as error:
        raise CoordstreamError(f"Line {lines.line_num} of {place} is not CSV ({error}).") from None
    if not found:
        raise CoordstreamError(f"No offsets in {place}. Expected a line for each task and partition.")
    return found


def _offset_column(columns: list[str], place: str) -> str:
    missing = [column for column in _NAMES if column not in columns]
    offset_column = next((column for column in _OFFSETS if column in columns), None)
    if missing or offset_column is None:
        listed = ", ".join([*missing, *(["to_offset or input_offset"] if offset_column is None else [])])
        raise CoordstreamError(f"{place} lacks the columns {listed}. Use the output of `checkpoint show JOB --csv`.")
    return offset_column


def _offsets(lines: "csv.DictReader[str]", offset_column: str, job: Job, place: str) -> dict[Reader, int]:
    found: dict[Reader, int] = {}
    for reader, offset in _readers(lines, offset_column, job, place):
        if found.setdefault(reader, offset) != offset:
            raise CoordstreamError(f"Line {lines.line_num} of {place}: {reader[1]} has two offsets. Use one.")
    return found


def _readers(lines: "csv.DictReader[str]", offset_column: str, job: Job, place: str) -> Iterator[tuple[Reader, int]]:
    for line in lines:
        named = (line.get("job_name") or job.name, line.get("job_id") or job.id)
        if named != job:
            raise CoordstreamError(f"Line {lines.line_num} of {place} is of job {'/'.join(named)}, not of {job}.")
        if any(line[column] is None for column in _NAMES):
            raise CoordstreamError(f"Line {lines.line_num} of {place} has fewer values than there are columns.")
        try:
            number = parse_integer(line["partition_id"])
            bucket = parse_integer(line.get("key_bucket") or str(NO_KEY_BUCKET))
            offset = parse_integer(line[offset_column] or "") + _OFFSETS[offset_column]
        except ValueError:
            raise CoordstreamError(
                f"Line {lines.line_num} of {place} has no whole number as partition_id, key_bucket or {offset_column}."
            ) from None
        partition = SystemStreamPartition(line["system_name"], line["stream_name"], number, bucket)
        yield (line["task_name"], partition), offset


def _read(name: str, place: str) -> str:
    try:
        data = sys.stdin.buffer.read() if name == STANDARD_INPUT else Path(name).read_bytes()
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CoordstreamError(f"{place} is not UTF-8. Use the output of `checkpoint show JOB --csv`.") from None
