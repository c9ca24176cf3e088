"""What an offset manager counts (OffsetManagerMetrics of Samza), as plain values."""

from dataclasses import dataclass, field

from eventlog.partition import SystemStreamPartition


@dataclass
class OffsetManagerMetrics:
    """``checkpointed_offsets``: of each registered partition the offset that was written last, ``""`` before any was.

    ``refused_startpoint_count``: startpoints that could not be followed, since the manager was made.
    """

    checkpointed_offsets: dict[SystemStreamPartition, str | None] = field(default_factory=dict)
    commit_count: int = 0
    refused_startpoint_count: int = 0
