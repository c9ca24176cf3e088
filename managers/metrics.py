"""MetricsRegistry: the metrics of managers, by Samza's names."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from eventlog.partition import SystemStreamPartition

MetricValue = int | str | None
"""A counter, or a gauge of a number or a text."""


class ManagerMetrics(Protocol):
    """Metrics of a manager."""

    def groups(self) -> Mapping[str, Mapping[str, MetricValue]]:
        """The current values by Samza's group and name."""


class Reading(NamedTuple):
    """The current value of a metric."""

    source: str
    group: str
    name: str
    value: MetricValue


class MetricsRegistry:
    """The metrics of several managers (MetricsRegistryMap of Samza), which are read when they are asked for.

    `coordstream.coordinator.process.SamzaMetricsCollector` exports them to Prometheus.
    """

    def __init__(self) -> None:
        self._added: list[tuple[str, ManagerMetrics]] = []

    def add(self, metrics: ManagerMetrics, source: str = "") -> None:
        """``source`` distinguishes managers of the same class, for example the name of the task."""
        self._added.append((source, metrics))

    def readings(self) -> Iterator[Reading]:
        for source, metrics in self._added:
            for group, values in metrics.groups().items():
                for name, value in values.items():
                    yield Reading(source, group, name, value)


@dataclass
class OffsetManagerMetrics:
    """Metrics of an offset manager (Samza's class), as plain values.

    ``checkpointed_offsets`` has the last written offset of each partition, ``""`` before the first commit.
    """

    checkpointed_offsets: dict[SystemStreamPartition, str | None] = field(default_factory=dict)
    commit_count: int = 0
    refused_startpoint_count: int = 0

    def groups(self) -> Mapping[str, Mapping[str, MetricValue]]:
        """See `ManagerMetrics`."""
        gauges = {
            f"{each.system}-{each.stream}-{each.partition}-checkpointed-offset": offset
            for each, offset in [*self.checkpointed_offsets.items()]
        }
        return {"org.apache.samza.checkpoint.OffsetManagerMetrics": gauges}
