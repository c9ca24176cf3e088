"""The offset of a streaming query, which has the next offset of each log, and whether the logs continue there."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from spark_jobs.data_source.log_range import LogRange
from spark_jobs.errors import SparkJobError

Offset = dict[str, dict[str, Any]]
"""What Spark stores in its checkpoint for each stream: a `Place`."""


class Place(NamedTuple):
    """A log's entry in an offset: `log` identifies the log of a stream, `next_offset` is where to read on.

    `horizon` is that of the log when this was planned: the query may miss what had been detached before.
    """

    log: str
    next_offset: int
    horizon: int = 0


def places_of(offset: Mapping[str, Mapping[str, Any]]) -> dict[str, Place]:
    """The entries of an offset that Spark passes."""
    return {
        name: Place(str(entry["log"]), int(entry["next_offset"]), int(entry["horizon"]))
        for name, entry in offset.items()
    }


def offset_of(places: Mapping[str, Place]) -> Offset:
    """The offset to pass to Spark."""
    return {name: place._asdict() for name, place in sorted(places.items())}


def identity(log: LogRange) -> str:
    """What tells two logs of one stream apart: the topic's id, or the incarnation in the archive."""
    return f"topic {log.log.topic_id}" if log.log.log_id is None else f"incarnation {log.log.incarnation}"


def _kind_of(log_identity: str) -> str:
    return log_identity.partition(" ")[0]


def place_in(log: LogRange, next_offset: int) -> Place:
    """The entry of a log."""
    return Place(identity(log), next_offset, log.log.horizon)


def require_continuity(places: Mapping[str, Place], logs: Mapping[str, LogRange]) -> None:
    """Check that each log continues at its place.

    Raises SparkJobError for a log that is missing, was re-created, ends before its place, or lost events after it:
    Spark compares no offsets with the log, and would report nothing.
    """
    for name, place in places.items():
        found = logs.get(name)
        if found is None:
            raise _lost(name, "no longer exists, or the option 'streams' no longer names it")
        if _kind_of(identity(found)) != _kind_of(place.log):
            raise _lost(name, f"is read from another source ({identity(found)} instead of {place.log})")
        if identity(found) != place.log:
            raise _lost(name, f"was re-created ({identity(found)} instead of {place.log})")
        if found.until < place.next_offset:
            raise _lost(
                name, f"was truncated: it ends at offset {found.until}, before the position {place.next_offset}"
            )
        if place.next_offset < found.first and not (found.log.log_id is not None and place.next_offset == 0):
            raise _lost(name, f"now starts at offset {found.first}, after the position {place.next_offset}")
        if place.horizon < found.log.horizon > place.next_offset:
            lost = f"lost events below offset {found.log.horizon} to a retention"
            raise _lost(name, f"{lost}, after the position {place.next_offset}")


def limited(places: Mapping[str, Place], ends: Mapping[str, Place], most: int | None) -> dict[str, Place]:
    """The ends, with about `most` offsets after the places. Each log gets its share of what is left, at least one."""
    left = {name: end.next_offset - places[name].next_offset for name, end in ends.items()}
    total = sum(left.values())
    if most is None or total <= most:
        return dict(ends)
    shares = {name: max(1, most * count // total) if count else 0 for name, count in left.items()}
    return {name: end._replace(next_offset=places[name].next_offset + shares[name]) for name, end in ends.items()}


def newest_of(ranges: Sequence[LogRange]) -> dict[str, LogRange]:
    """The newest incarnation of each stream, by name."""
    ordered = sorted(ranges, key=lambda found: found.log.incarnation or 0)
    return {found.log.stream_name: found for found in ordered}


def _lost(name: str, reason: str) -> SparkJobError:
    return SparkJobError(
        f"{name} {reason}. Start the query with a new checkpoint location; events of the log before may be missing."
    )
