"""A system's own say in a commit."""

from collections.abc import Mapping

import pytest

from eventlog.checkpoint import Offsets
from eventlog.partition import SystemStreamPartition
from managers.offsets.offset_manager import CheckpointListener, modify_offsets

SSP = {
    1: SystemStreamPartition("system1", "stream", 1),
    2: SystemStreamPartition("system1", "stream1", 1),
    3: SystemStreamPartition("system1", "stream1", 2),
    4: SystemStreamPartition("system1", "stream1", 3),
    5: SystemStreamPartition("system2", "stream", 1),
    6: SystemStreamPartition("system2", "stream1", 1),
}
STARTING = {SSP[1]: "11", SSP[2]: "19", SSP[3]: None, SSP[5]: "51", SSP[6]: "59"}
PROCESSED = {SSP[number]: f"{number}0" for number in SSP}


class Listener(CheckpointListener):
    """Adds 5 to each offset, and records its calls."""

    def __init__(self) -> None:
        self.asked: list[Offsets] = []

    def before_checkpoint(self, offsets: Mapping[SystemStreamPartition, str]) -> Offsets:
        self.asked.append(dict(offsets))
        return {each: str(int(offset) + 5) for each, offset in offsets.items()}


def by_number(_system: str, one: str, other: str) -> int | None:
    return int(one) - int(other)


@pytest.mark.scenario("OFF-22")
def test_a_listener_changes_all_offsets_of_its_system_and_no_others() -> None:
    assert modify_offsets(STARTING, PROCESSED, {}, by_number) == PROCESSED
    modified = modify_offsets(STARTING, PROCESSED, {"system1": Listener()}, by_number)
    assert modified == {**PROCESSED, SSP[1]: "15", SSP[2]: "25", SSP[3]: "35", SSP[4]: "45"}


@pytest.mark.parametrize("starting", [{SSP[1]: "11"}, {SSP[1]: "10"}, {SSP[1]: "9"}])
def test_it_is_asked_whether_something_was_read_yet_or_not(starting: Offsets) -> None:
    listener = Listener()
    modify_offsets(starting, {SSP[1]: "10", SSP[5]: "50"}, {"system1": listener}, by_number)
    assert listener.asked == [{SSP[1]: "10"}]


@pytest.mark.parametrize("starting", [{}, {SSP[1]: None}, {SSP[5]: "9"}])
def test_it_is_not_asked_where_no_start_of_its_system_can_be_compared(starting: Offsets) -> None:
    listener = Listener()
    assert modify_offsets(starting, PROCESSED, {"system1": listener}, by_number) == PROCESSED
    modify_offsets({SSP[1]: "9"}, PROCESSED, {"system1": listener}, lambda *_: None)
    assert listener.asked == []
