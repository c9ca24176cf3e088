"""What a consumer group has committed."""

from collections.abc import Mapping
from typing import NamedTuple

from eventlog.errors import EventLogError

GroupPartition = tuple[str, int]
"""A topic and the number of a partition."""

Refusals = Mapping[GroupPartition, str]
"""Why Kafka refused partitions, in sentences."""


class GroupOffset(NamedTuple):
    """What a group has committed for a partition: the next offset to read, and a text."""

    next_offset: int
    metadata: str = ""


class GroupInUse(EventLogError):
    """A consumer group has members, which commit its offsets."""

    def __init__(self, group_id: str, place: str) -> None:
        self.group_id = group_id
        super().__init__(
            f"Consumers of the group {group_id} are running on {place}. Stop them, or use another group (--group)."
        )
