from pathlib import Path

import pytest

from coordstream.cli.query.rows import Row
from coordstream.cli.task import partition_rows, start, task_rows
from tests.coordstream.command_line import CommandLine, config_event, recording

pytestmark = pytest.mark.slow

END = "2026-11-21T09:16:56.684Z"
BEFORE_RUN_2 = "2026-11-21T09:17:00Z"


def test_tasks_are_shown_with_container_and_host(wordcount: CommandLine) -> None:
    rows = wordcount.rows("task", "show", "wordcount_pv")
    assert [row["task_name"] for row in rows] == [f"Partition {n}" for n in range(8)]
    assert {row["task_mode"] for row in rows} == {"Active"}
    assert {row["container_id"] for row in rows} == {"0", "1"}
    assert all(row["host_name"] and row["execution_container_id"].startswith("container_") for row in rows)
    assert [row["changelog_partition"] for row in rows] == list(range(8))
    assert all(row["checkpoint_time"].startswith("2026-11-21T09:18:") for row in rows)


def test_a_task_is_shown_with_its_partitions(wordcount: CommandLine) -> None:
    (row,) = wordcount.rows("task", "show", "wordcount_pv", "Partition 7", "--as-of", BEFORE_RUN_2)
    assert {partition["stream_name"] for partition in row["partitions"]} == {"page-views", "rules"}
    (seventh,) = [partition for partition in row["partitions"] if partition["stream_name"] == "page-views"]
    assert (seventh["partition_id"], seventh["input_offset"], seventh["is_assigned"]) == (7, "19", True)
    assert (seventh["decided_by"], seventh["starting_offset"]) == ("checkpoint", "20")
    (now,) = wordcount.rows("task", "show", "wordcount_pv/1", "Partition 7")
    places = {(part["stream_name"], part["partition_id"]): part["input_offset"] for part in now["partitions"]}
    assert (places["page-views", 7], places["page-views", 15]) == ("24", "4")
    assert "rules" in {part["stream_name"] for part in now["partitions"] if part["decided_by"] is None}


def test_csv_has_the_same_header_without_rows(wordcount: CommandLine, tmp_path: Path) -> None:
    header = wordcount.done("task", "show", "wordcount_pv", "--csv").splitlines()[0]
    wordcount.done("import", recording(tmp_path / "r.jsonl", [config_event(0, "job.name", "counts")]))
    assert wordcount.done("task", "show", "counts", "--csv").splitlines() == [header]


def test_an_unknown_task_is_refused(wordcount: CommandLine) -> None:
    sentence = wordcount.refused("task", "show", "wordcount_pv", "7")
    assert sentence.startswith('Job wordcount_pv/1 has no task "7". Known tasks: Partition 0, Partition 1, ')


@pytest.mark.parametrize("words", [[], ["Partition 1"], ["Partition 1", "--utc"], ["Partition 1", "--as-of", END]])
@pytest.mark.usefixtures("narrow")
def test_tables_fit_the_page(wordcount: CommandLine, words: list[str]) -> None:
    printed = wordcount.done("task", "show", "wordcount_pv", *words)
    assert max(map(len, printed.splitlines())) <= 80
    assert ("Partitions of Partition 1" in printed) == ("kafka.page-views.1 " in printed) == bool(words)


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
