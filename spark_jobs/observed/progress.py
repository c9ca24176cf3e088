"""What a progress of a streaming query says: a batch that Spark has committed, and how far it has read its inputs."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from eventlog.partition import SystemStreamPartition

KAFKA: Final = "kafka"
"""The system of the topics that Spark's Kafka connector reads."""
OWN_SOURCE: Final = "coordstream"
"""The system of the streams that the data source `coordinator_stream` reads."""

_CONNECTOR: Final = ("KafkaV2[", "KafkaSource[")
_NONE: Final = ("None", "null", "", "{}")
"""Offsets of a source that has read nothing yet."""

Positions = Mapping[SystemStreamPartition, int]
"""The next offset to read of each partition."""


class SourceRange(NamedTuple):
    """What a batch has read of one source. ``start`` None: it is the first batch of a checkpoint folder."""

    number: int
    start: Positions | None
    end: Positions


class CommittedBatch(NamedTuple):
    """A batch of a query. ``ignored`` describes sources whose offsets cannot be read."""

    query_id: str
    run_id: str
    batch_id: int
    sink: str
    sources: tuple[SourceRange, ...]
    ignored: tuple[str, ...] = ()

    def after(self, earlier: "CommittedBatch") -> "CommittedBatch":
        """This batch and an earlier one as one, if both are of the same run."""
        if self.run_id != earlier.run_id:
            return self
        starts = {one.number: one.start for one in earlier.sources}
        return self._replace(
            sources=tuple(one._replace(start=starts.get(one.number, one.start)) for one in self.sources)
        )


def parse_progress(progress: Mapping[str, Any]) -> CommittedBatch:
    """The batch of a progress, whose offsets are texts with JSON, as in `StreamingQueryProgress` of PySpark."""
    sources, ignored = list[SourceRange](), list[str]()
    for number, source in enumerate(progress["sources"]):
        start, end = (_positions(source["description"], source[name]) for name in ("startOffset", "endOffset"))
        if end is None:
            ignored += [source["description"]] if source["endOffset"] not in _NONE else []
        else:
            sources.append(SourceRange(number, start, end))
    ids = str(progress["id"]), str(progress["runId"]), int(progress["batchId"])
    return CommittedBatch(*ids, progress["sink"]["description"], tuple(sources), tuple(ignored))


def processed(positions: Positions) -> dict[SystemStreamPartition, str]:
    """The last processed offsets, as in a checkpoint; -1 if nothing was read before offset 0."""
    return {partition: str(offset - 1) for partition, offset in positions.items()}


def _positions(description: str, offset: str) -> Positions | None:
    """The positions in an offset of a source; None if it is missing, or not of a known source."""
    try:
        value = None if offset in _NONE else json.loads(offset)
    except ValueError:
        return None
    if not isinstance(value, dict):
        return None
    if description.startswith(_CONNECTOR):
        return {
            SystemStreamPartition(KAFKA, topic, int(number)): int(position)
            for topic, positions in value.items()
            for number, position in positions.items()
        }
    if value and all(map(_is_place, value.values())):
        return {SystemStreamPartition(OWN_SOURCE, stream, 0): place[1] for stream, place in value.items()}
    return None


def _is_place(value: object) -> bool:
    """Whether it is a `spark_jobs.data_source.stream_reader.Place`."""
    kinds = (str, int, int)
    return isinstance(value, Sequence) and len(value) == len(kinds) and all(map(isinstance, value, kinds))
