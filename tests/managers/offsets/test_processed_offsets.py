"""How far tasks have come, and what had moved when a snapshot was taken."""

import threading

import pytest

from eventlog.partition import SystemStreamPartition
from managers.offsets.committed_offsets import END_OF_STREAM_OFFSET, ProcessedOffsets
from tests.fixtures.waiting import PATIENCE

IN = [SystemStreamPartition("kafka", "in", number) for number in range(3)]


def loaded(offset: str = "45") -> ProcessedOffsets:
    processed = ProcessedOffsets()
    processed.load("t", {IN[0]: offset})
    return processed


def test_what_was_loaded_has_not_moved() -> None:
    processed = loaded()
    assert processed.get("t", IN[0]) == "45"
    assert processed.get("t", IN[1]) is processed.get("u", IN[0]) is None
    assert processed.moved("t") == processed.moved("u") == frozenset()


def test_an_event_without_an_offset_changes_nothing() -> None:
    processed = loaded()
    processed.update("t", IN[0], None)
    processed.update("t", IN[1], None)
    assert processed.snapshot("t", IN) == {IN[0]: "45"}
    assert processed.moved("t") == frozenset()


def test_an_offset_that_is_not_a_string_is_refused() -> None:
    processed = loaded()
    with pytest.raises(TypeError, match=r"the offset of kafka\.in\.0 must be a string, not 46"):
        processed.update("t", IN[0], 46)  # type: ignore[arg-type]
    assert (processed.get("t", IN[0]), processed.moved("t")) == ("45", frozenset())


def test_the_end_of_a_partition_moves_it_and_is_no_offset() -> None:
    processed = loaded()
    processed.update("t", IN[0], END_OF_STREAM_OFFSET)
    processed.update("t", IN[1], END_OF_STREAM_OFFSET)
    assert processed.moved("t") == {IN[0], IN[1]}
    assert processed.snapshot("t", IN) == {IN[0]: "45"}


def test_an_equal_offset_moves_too() -> None:
    processed = loaded()
    processed.update("t", IN[0], "45")
    assert processed.moved("t") == {IN[0]}


def test_what_is_processed_after_a_snapshot_belongs_to_the_next() -> None:
    processed = loaded()
    processed.update("t", IN[0], "46")
    first = processed.snapshot("t", IN)
    processed.update("t", IN[0], "47")
    processed.update("t", IN[1], "7")
    assert (first, processed.moved("t")) == ({IN[0]: "46"}, frozenset({IN[0]}))
    assert processed.snapshot("t", IN) == {IN[0]: "47", IN[1]: "7"}
    assert processed.moved("t") == {IN[0], IN[1]}


def test_without_a_snapshot_all_counts_that_has_moved_by_now() -> None:
    processed = loaded()
    processed.snapshot("t", IN)
    processed.update("t", IN[0], "46")
    assert processed.moved("t") == frozenset()
    processed.forget_snapshot("t")
    assert processed.moved("t") == {IN[0]}


def test_a_snapshot_has_only_what_is_asked_for_and_tasks_are_apart() -> None:
    processed = loaded()
    processed.update("u", IN[0], "1")
    processed.update("t", IN[2], "9")
    assert processed.snapshot("t", [IN[0], IN[1]]) == {IN[0]: "45"}
    assert processed.snapshot("u", IN) == {IN[0]: "1"}


def test_threads_at_once_lose_nothing() -> None:
    processed = ProcessedOffsets()
    barrier = threading.Barrier(3)

    def work(number: int) -> None:
        barrier.wait(PATIENCE)
        for offset in range(500):
            processed.update("t", IN[number], str(offset))
            processed.snapshot("t", IN)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert processed.snapshot("t", IN) == dict.fromkeys(IN, "499")
