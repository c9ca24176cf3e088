from coordstream.queries.rows import Row
from coordstream.queries.tasks import partition_rows, start, task_rows


def test_a_start_has_its_rule() -> None:
    row = {"decided_by": "checkpoint", "startpoint_type": None, "starting_offset": "20", "input_offset": "19"}
    assert start(row) == "20 (checkpoint)"
    assert start(row | {"starting_offset": None}) == "after 19 (checkpoint)"
    upcoming = {"startpoint_type": "upcoming", "startpoint_value": None, "starting_offset": None, "input_offset": None}
    assert start(upcoming | {"decided_by": "default"}) == "upcoming (default)"
    assert start({"decided_by": None}) is None


PARTITION = {"system_name": "kafka", "stream_name": "in", "partition_id": 0, "key_bucket": -1}
NOTHING: dict[str, list[Row]] = {
    "task_container": [],
    "container_host": [],
    "container_execution": [],
    "task_mode": [],
    "changelog_mapping": [],
    "task_partition": [],
    "checkpoint": [],
    "starting_offset": [],
}


def test_a_task_row_joins_all_relations() -> None:
    relations = NOTHING | {
        "task_container": [{"task_name": "b", "container_id": "0"}],
        "container_host": [{"container_id": "0", "host_name": "h"}, {"container_id": "1", "host_name": "other"}],
        "container_execution": [{"container_id": "0", "execution_container_id": "container_1"}],
        "task_mode": [{"task_name": "b", "task_mode": "Active"}],
        "changelog_mapping": [{"task_name": "a", "changelog_partition": 7}],
        "task_partition": [PARTITION | {"task_name": "b"}, PARTITION | {"partition_id": 1, "task_name": "b"}],
        "checkpoint": [PARTITION | {"task_name": "c", "record_time": "2026-01-31T12:00:00Z"}],
    }
    keys = ("container_id", "host_name", "execution_container_id", "task_mode", "changelog_partition")
    assert [
        (row["task_name"], *(row[key] for key in keys), row["partition_count"], row["checkpoint_time"])
        for row in task_rows(relations)
    ] == [
        ("a", None, None, None, None, 7, 0, None),
        ("b", "0", "h", "container_1", "Active", None, 2, None),
        ("c", None, None, None, None, None, 0, "2026-01-31T12:00:00Z"),
    ]
    assert task_rows(NOTHING) == []


def test_a_partition_is_shown_if_any_relation_has_it() -> None:
    start = {
        "decided_by": "checkpoint",
        "startpoint_type": None,
        "startpoint_value": None,
        "starting_offset": "6",
        "ignored_reason": None,
    }
    processed = {"task_name": "a", "input_offset": "5", "checkpoint_version": 2, "record_time": "t"}
    relations = NOTHING | {
        "task_partition": [PARTITION | {"task_name": "a"}, PARTITION | {"partition_id": 9, "task_name": "other"}],
        "checkpoint": [PARTITION | processed, PARTITION | {"partition_id": 1} | processed],
        "starting_offset": [PARTITION | {"task_name": "a"} | start],
    }
    assigned, dropped = partition_rows(relations, "a")
    assert assigned == PARTITION | start | {
        "is_assigned": True,
        "input_offset": "5",
        "checkpoint_version": 2,
        "checkpoint_time": "t",
    }
    assert (dropped["partition_id"], dropped["is_assigned"], dropped["input_offset"]) == (1, False, "5")
    assert dropped["decided_by"] is None
