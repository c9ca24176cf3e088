"""The admin of a Kafka input system: how far its topics reach, and which offset a startpoint means."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from kafka import IsolationLevel, OffsetSpec, TopicPartition
from kafka.errors import KafkaError, NoError, TopicAuthorizationFailedError, UnknownTopicOrPartitionError

from eventlog.kafka.admin import KafkaAdmin, known_id
from eventlog.kafka.client import BrokerTooOld, ask
from eventlog.partition import SystemStreamPartition
from eventlog.source import CredentialsRefused
from eventlog.startpoint import (
    Startpoint,
    StartpointOldest,
    StartpointSpecific,
    StartpointTimestamp,
    StartpointUpcoming,
)
from eventlog.system_admin import (
    InputMissing,
    PartitionBounds,
    ResolvedStartpoint,
    SystemStreamMetadata,
    SystemStreamPartitionMetadata,
    compare_offsets,
    offset_after,
)

_EARLIEST: Final = int(OffsetSpec.EARLIEST)
_LATEST: Final = int(OffsetSpec.LATEST)
_NEWEST_TIME: Final = int(OffsetSpec.MAX_TIMESTAMP)
_NO_OFFSET: Final = -1

Question = tuple[TopicPartition, int]
"""A partition, and a time in ms since 1970 or one of Kafka's codes for its ends."""


class KafkaSystemAdmin(KafkaAdmin):
    """See `SystemAdmin`; for one cluster (KafkaSystemAdmin of Samza). Connects when first used.

    Uncommitted records of transactions are included, as in Samza's own consumer. Methods that query the cluster raise
    `InputMissing`, and `SourceUnavailable` if it does not answer within seconds. Not thread-safe; a context manager.
    """

    _isolation_level = IsolationLevel.READ_UNCOMMITTED

    def get_offsets_after(
        self, offsets: Mapping[SystemStreamPartition, str]
    ) -> Mapping[SystemStreamPartition, str | None]:
        """See `SystemAdmin.get_offsets_after`: one more. Consumers skip offsets that compaction removed."""
        return {partition: offset_after(offset) for partition, offset in offsets.items()}

    def get_system_stream_metadata(self, stream_names: Iterable[str]) -> Mapping[str, SystemStreamMetadata]:
        """See `SystemAdmin.get_system_stream_metadata`.

        As in Samza the newest offset is the one before the end, even if compaction removed that record, and None if
        there never was one.
        """
        topics = self._topics(list(dict.fromkeys(stream_names)))
        ends = self._ends(one for topic in topics.values() for one in _partitions(topic))
        return {
            name: SystemStreamMetadata(
                name, {one.partition: _reach(*ends[one]) for one in _partitions(topic)}, known_id(topic.topic_id)
            )
            for name, topic in topics.items()
        }

    def get_bounds(self, stream_names: Iterable[str]) -> Sequence[PartitionBounds]:
        """The bounds of every partition of these streams. Streams that the cluster does not have are left out."""
        topics = self._topics(list(dict.fromkeys(stream_names)), only_existing=True)
        ends = self._ends(one for topic in topics.values() for one in _partitions(topic))
        newest = self._newest_times(list(ends))
        return [PartitionBounds(one.topic, one.partition, *ends[one], newest.get(one)) for one in ends]

    def _newest_times(self, partitions: Sequence[TopicPartition]) -> Mapping[TopicPartition, int]:
        """The newest record time of partitions with records. Brokers before Kafka 3.0 do not tell it."""
        try:
            found = self._ask_offsets(dict.fromkeys(partitions, _NEWEST_TIME)) if partitions else {}
        except BrokerTooOld:
            return {}
        return {one: answer.timestamp for one, answer in found.items() if answer.offset != _NO_OFFSET}

    def _ends(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, tuple[int, int]]:
        """The oldest offset of each partition, and its end."""
        asked = list(partitions)
        found = self._offsets_of((one, end) for one in asked for end in (_EARLIEST, _LATEST))
        return {one: (found[one, _EARLIEST], found[one, _LATEST]) for one in asked}

    def offset_comparator(self, one: str, other: str) -> int | None:
        """See `SystemAdmin.offset_comparator`: compares integers."""
        return compare_offsets(one, other)

    def resolve_startpoint_to_offset(self, partition: SystemStreamPartition, startpoint: Startpoint) -> str | None:
        """See `SystemAdmin.resolve_startpoint_to_offset`, and `resolve_startpoints` for what each kind means here."""
        resolved = self.resolve_startpoints({partition: startpoint})[partition]
        return None if resolved is None else resolved.offset

    def resolve_startpoints(
        self, startpoints: Mapping[SystemStreamPartition, Startpoint]
    ) -> Mapping[SystemStreamPartition, ResolvedStartpoint | None]:
        """The first offsets to read of several partitions, with as few requests as possible.

        ``oldest`` is the first offset that exists, ``upcoming`` the end; a timestamp is the first record that is not
        older, or the end if there is none (``is_past_end``). A specific offset is returned unchanged. Raises
        `TypeError`: an argument is not a partition or startpoint; `ValueError`: a startpoint of kind timestamp has no
        time.
        """
        wanted = {each: _question(each, startpoint) for each, startpoint in startpoints.items()}
        found = self._offsets_of(one for one in wanted.values() if isinstance(one, tuple))
        ends = self._offsets_of((partition, _LATEST) for (partition, _), at in found.items() if at == _NO_OFFSET)
        return {each: _resolve(one, found, ends) for each, one in wanted.items()}

    def _check(self, name: str, error: type[KafkaError]) -> None:
        if error is TopicAuthorizationFailedError:
            raise CredentialsRefused(
                f"{self._options.place} denies access to {name}. Grant the user the permission to describe it."
            )
        if error is not NoError:
            raise InputMissing(name, None, self._options.place)

    def _offsets_of(self, questions: Iterable[Question]) -> Mapping[Question, int]:
        """The offsets, -1 if no record is as new as a time; one request to each broker if no partition is repeated."""
        found: dict[Question, int] = {}
        for batch in _batches(questions):
            for partition, answer in self._ask_offsets(batch).items():
                found[partition, batch[partition]] = answer.offset
        return found

    def _ask_offsets(self, batch: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, Any]:
        try:
            return ask(self._options, lambda: self._list_offsets(batch), answers=(UnknownTopicOrPartitionError,))
        except UnknownTopicOrPartitionError:
            topics = self._topics(list({one.topic for one in batch}))
            missing = next((one for one in batch if one not in _partitions(topics[one.topic])), next(iter(batch)))
            raise InputMissing(missing.topic, missing.partition, self._options.place) from None


class CommittedSystemAdmin(KafkaSystemAdmin):
    """The same for consumers that read only committed records: a partition ends before its first open transaction."""

    _isolation_level = IsolationLevel.READ_COMMITTED


def _partitions(topic: Any) -> list[TopicPartition]:
    return [TopicPartition(topic.name, number) for number in sorted(one.partition_index for one in topic.partitions)]


def _question(partition: Any, startpoint: Any) -> Question | str | None:
    """The question to Kafka for a startpoint; a text is the answer itself, None means no answer."""
    if not isinstance(partition, SystemStreamPartition) or type(partition.partition) is not int:
        raise TypeError(f"Invalid partition {partition!r}. Expected a SystemStreamPartition with a number.")
    of_topic = TopicPartition(partition.stream, partition.partition)
    match startpoint:
        case StartpointSpecific():
            return startpoint.specific_offset
        case StartpointOldest():
            return of_topic, _EARLIEST
        case StartpointUpcoming():
            return of_topic, _LATEST
        case StartpointTimestamp(None):
            raise ValueError(f"The startpoint for {partition} has no time. Set its timestamp_offset.")
        case StartpointTimestamp(int(time)):
            return of_topic, max(time, 0)  # negative numbers are Kafka's codes for the ends
    raise TypeError(f"Invalid startpoint {startpoint!r}. Expected one of Samza's four kinds.")


def _resolve(
    wanted: Question | str | None, found: Mapping[Question, int], ends: Mapping[Question, int]
) -> ResolvedStartpoint | None:
    if wanted is None or isinstance(wanted, str):
        return None if wanted is None else ResolvedStartpoint(wanted)
    if found[wanted] != _NO_OFFSET:
        return ResolvedStartpoint(str(found[wanted]))
    return ResolvedStartpoint(str(ends[wanted[0], _LATEST]), is_past_end=True)


def _reach(oldest: int, upcoming: int) -> SystemStreamPartitionMetadata:
    newest = str(upcoming - 1) if upcoming > 0 else None
    return SystemStreamPartitionMetadata(str(oldest), newest, str(upcoming))


def _batches(questions: Iterable[Question]) -> Iterator[Mapping[TopicPartition, int]]:
    """The questions in requests without a repeated partition, which Kafka does not allow."""
    left = set(questions)
    while left:
        batch = dict(left)
        yield batch
        left -= set(batch.items())
