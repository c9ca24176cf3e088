from projections.follow.delegated import Delegated
from spark_jobs.follow.range_source import BATCH_OFFSETS, balanced, plan_ranges


def planned(first: int, until: int, name: str = "a", generation: int = 7) -> Delegated:
    return Delegated(name, "id", 42, first, until, generation)


LOG = planned(100, 100)


def test_a_log_is_read_from_its_position_and_then_on() -> None:
    assert plan_ranges({"a": LOG}, {}, {"a": "id"}, {"a": 130}) == [planned(100, 130)]
    assert plan_ranges({"a": LOG}, {"a": planned(100, 130)}, {"a": "id"}, {"a": 135}) == [planned(130, 135)]
    assert plan_ranges({"a": LOG}, {"a": planned(100, 130)}, {"a": "id"}, {"a": 130}) == []


def test_a_new_generation_is_read_from_its_own_position() -> None:
    old = planned(100, 200, generation=6)
    assert plan_ranges({"a": LOG}, {"a": old}, {"a": "id"}, {"a": 250}) == [planned(100, 250)]


def test_a_lost_log_gets_an_empty_range_once() -> None:
    empty = planned(100, 100)
    for topic_ids, ends in (({"a": "other"}, {"a": 130}), ({"a": "id"}, {"a": 90}), ({}, {})):
        assert plan_ranges({"a": LOG}, {}, topic_ids, ends) == [empty]
        assert plan_ranges({"a": LOG}, {"a": empty}, topic_ids, ends) == []


def test_logs_share_a_micro_batch() -> None:
    logs = {name: planned(100, 100, name) for name in ("a", "b")}
    ranges = plan_ranges(logs, {}, {"a": "id", "b": "id"}, {"a": 10**9, "b": 10**9})
    assert sum(one.next_offset - one.first_offset for one in ranges) == BATCH_OFFSETS


def test_tasks_get_about_the_same_number_of_offsets() -> None:
    ranges = [planned(0, size, name) for name, size in (("a", 10), ("b", 60), ("c", 30), ("d", 20))]
    assert [[one.stream_name for one in part.ranges] for part in balanced(ranges, 2)] == [["c", "d", "a"], ["b"]]
    assert len(balanced(ranges[:1], 8)) == 1
