"""Latencies are those of the first sighting that shows an event."""

import pytest

from benchmarks.latency import Sighting, latencies, percentile

MS = 1_000_000


def test_an_event_is_seen_with_the_first_position_beyond_it() -> None:
    sightings = [Sighting(10, 1 * MS), Sighting(11, 4 * MS), Sighting(13, 9 * MS)]
    assert latencies(10, [2 * MS, 3 * MS, 5 * MS], sightings) == [2.0, 6.0, 4.0]


def test_an_event_that_was_not_seen_has_no_latency() -> None:
    with pytest.raises(IndexError):
        latencies(10, [2 * MS], [Sighting(10, 4 * MS)])


def test_percentiles_are_values_that_were_measured() -> None:
    values = [float(value) for value in range(100, 0, -1)]
    assert [percentile(values, share) for share in (0.5, 0.99, 1.0)] == [50.0, 99.0, 100.0]
    assert percentile([7.0], 0.5) == 7.0
