"""The metrics of managers for Prometheus, by Samza's names."""

from collections.abc import Iterator
from typing import Final

from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from managers.metrics import MetricsRegistry


class SamzaMetricsCollector(Collector):
    """A collector of ``prometheus_client``, without values that are not numbers, such as offsets of other systems."""

    def __init__(self, registry: MetricsRegistry) -> None:
        self._registry: Final = registry

    def collect(self) -> Iterator[Metric]:
        found = GaugeMetricFamily("samza_metric", "A metric of Samza", labels=("source", "group", "name"))
        for source, group, name, value in self._registry.readings():
            if isinstance(value, int) or (value or "").isdecimal():
                found.add_metric((source, group, name), int(value or 0))
        yield found
