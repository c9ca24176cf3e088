"""A topic of a Kafka cluster, and whether its events can be followed."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from eventlog.source import StreamRefused

PARTITION: Final = 0
"""The only partition that is read and written, because events have an order in one partition only."""

_NO_ID: Final = "00000000-0000-0000-0000-000000000000"


class Topic(NamedTuple):
    """A topic as the cluster describes it; ``settings`` lacks those that the user may not read."""

    name: str
    topic_id: str | None
    partitions: int
    settings: Mapping[str, str]

    @property
    def delete_retention_ms(self) -> int | None:
        """How long a tombstone is retained; None if unknown."""
        return self._number("delete.retention.ms")

    @property
    def max_message_bytes(self) -> int | None:
        """The maximum size of a batch of records; None if unknown."""
        return self._number("max.message.bytes")

    @property
    def cleanup_policy(self) -> frozenset[str]:
        """``compact``, ``delete`` or both; empty if unknown."""
        return frozenset(filter(None, self.settings.get("cleanup.policy", "").split(",")))

    def _number(self, name: str) -> int | None:
        return int(self.settings[name]) if name in self.settings else None


def check(topic: Topic, *, any_partitions: bool = False) -> str:
    """Warnings about a topic that can be followed; empty if there are none.

    With ``any_partitions`` a topic may have several partitions, of which only the first is followed.

    Raises:
        StreamRefused: the topic cannot be followed.
    """
    return "; ".join(filter(None, (_check_partitions(topic, any_partitions), _check_policy(topic))))


def _check_partitions(topic: Topic, any_partitions: bool) -> str:
    if topic.partitions == 1:
        return ""
    if not any_partitions:
        raise StreamRefused(
            topic.name, f"it has {topic.partitions} partitions. Create it with one: events have an order in one only"
        )
    return f"{topic.name} has {topic.partitions} partitions, of which only partition {PARTITION} is read and written"


def _check_policy(topic: Topic) -> str:
    policy = topic.cleanup_policy
    if policy and "compact" not in policy:
        raise StreamRefused(
            topic.name, "its cleanup.policy is delete: Kafka will delete current records. Set it to compact"
        )
    if "delete" in policy:
        return f"{topic.name} has cleanup.policy compact,delete: records older than its retention time will be deleted"
    if not policy:
        return (
            f"{topic.name} may lose current records: no permission to read whether it is compacted, "
            "nor how long it retains tombstones. Grant the user the permission to describe its configs"
        )
    return ""


def known_id(topic_id: Any) -> str | None:
    """A topic id as text; None if the cluster has no topic ids (before Kafka 2.8)."""
    text = str(topic_id)
    return None if topic_id is None or text == _NO_ID else text
