"""Startpoints that are made now."""

import itertools

import pytest

from eventlog.startpoint import StartpointOldest, StartpointSpecific, StartpointTimestamp, StartpointUpcoming
from eventlog.startpoint_maker import StartpointMaker


@pytest.mark.scenario("SPM-01")
def test_each_kind_is_created_when_it_is_made() -> None:
    make = StartpointMaker(itertools.count(1_000).__next__)
    assert make.specific("123") == StartpointSpecific("123", 1_000)
    assert make.timestamp(2_222_222) == StartpointTimestamp(2_222_222, 1_001)
    assert make.oldest() == StartpointOldest(1_002)
    assert make.upcoming() == StartpointUpcoming(1_003)
