"""The latency of events: from writing until they are visible."""

from bisect import bisect_right
from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

NS_PER_MS = 1_000_000


class Sighting(NamedTuple):
    """At a time in nanoseconds, the events before ``next_offset`` were visible."""

    next_offset: int
    at: int


def latencies(first_offset: int, began: Sequence[int], sightings: Sequence[Sighting]) -> list[float]:
    """Latencies in ms of the events from ``first_offset`` on, which were written at the times ``began`` (ns).

    Raises:
        IndexError: not all of them were seen.
    """
    positions = [sighting.next_offset for sighting in sightings]
    return [
        (sightings[bisect_right(positions, first_offset + number)].at - at) / NS_PER_MS
        for number, at in enumerate(began)
    ]


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that this share of all values does not exceed."""
    return sorted(values)[ceil(len(values) * share) - 1]
