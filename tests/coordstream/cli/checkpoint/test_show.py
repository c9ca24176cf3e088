from datetime import datetime
from pathlib import Path

import pytest

from eventlog.checkpoint import CheckpointV1
from eventlog.events import NewEvent
from eventlog.partition import SystemStreamPartition, TaskName
from eventlog.wire.checkpoint_topic import (
    DEFAULT_GROUPER_FACTORY,
    KEY_TYPE_V1,
    CheckpointKey,
    encode_key,
    encode_v1,
)
from tests.builders import recorded
from tests.coordstream.command_line import CommandLine, recording

pytestmark = pytest.mark.slow

END_OF_RUN_1 = "2026-11-21T09:16:56.684Z"


def test_every_task_has_its_checkpoint_now_and_before(wordcount: CommandLine) -> None:
    now = wordcount.rows("checkpoint", "show", "wordcount_pv")
    assert len(now) == 16
    assert {row["task_name"] for row in now} == {f"Partition {n}" for n in range(8)}
    before = wordcount.rows("checkpoint", "show", "wordcount_pv", "--as-of", END_OF_RUN_1)
    by_offset = wordcount.rows("checkpoint", "show", "wordcount_pv", "--as-of-offset", "111")
    assert before == by_offset
    places = {(row["task_name"], row["stream_name"], row["partition_id"]): row["input_offset"] for row in before}
    assert (places["Partition 1", "page-views", 1], places["Partition 1", "rules", 0]) == ("19", "2")


def test_key_buckets_are_sorted(cli: CommandLine, tmp_path: Path) -> None:
    offsets = {SystemStreamPartition("kafka", "in", 0, bucket): "5" for bucket in (2, 0, 1)}
    key = encode_key(CheckpointKey(KEY_TYPE_V1, TaskName("t"), DEFAULT_GROUPER_FACTORY))
    events = recorded([NewEvent(key, encode_v1(CheckpointV1(offsets)))])
    cli.done("import", recording(tmp_path / "r.jsonl", events, "__samza_checkpoint_ver_1_for_counts_1"))
    assert [row["key_bucket"] for row in cli.rows("checkpoint", "show", "counts")] == [0, 1, 2]


def test_a_single_task(wordcount: CommandLine) -> None:
    rows = wordcount.rows("checkpoint", "show", "wordcount_pv/1", "--task", "Partition 7")
    assert [(row["stream_name"], row["partition_id"], row["input_offset"]) for row in rows] == [
        ("page-views", 7, "24"),
        ("page-views", 15, "4"),
    ]
    sentence = wordcount.refused("checkpoint", "show", "wordcount_pv", "--task", "7")
    assert sentence.startswith('Job wordcount_pv/1 has no checkpoint of a task "7". Known tasks: Partition 0, ')


def test_history_shows_each_version_or_each_commit_once(wordcount: CommandLine) -> None:
    words = ("checkpoint", "history", "wordcount_pv", "--task", "Partition 1")
    everything, preferred = wordcount.rows(*words), wordcount.rows(*words, "--preferred")
    assert {row["checkpoint_version"] for row in everything} == {1, 2}
    assert preferred == [row for row in everything if row["is_preferred"]]
    assert 0 < len(preferred) < len(everything)
    newest = sorted({row["log_offset"] for row in everything})[-3:]
    assert wordcount.rows(*words, "--limit", "3") == [row for row in everything if row["log_offset"] in newest]
    cut = wordcount.rows(*words, "--as-of", END_OF_RUN_1)
    assert cut == [row for row in everything if row["log_offset"] <= 111]


@pytest.mark.usefixtures("narrow")
def test_tables_fit_the_page(wordcount: CommandLine) -> None:
    for verb in ("show", "history"):
        printed = wordcount.done("checkpoint", verb, "wordcount_pv", "--task", "Partition 1")
        assert "kafka.page-views.1 " in printed
        assert max(map(len, printed.splitlines())) <= 80


def test_a_history_between_two_times(wordcount: CommandLine) -> None:
    words = ("checkpoint", "history", "wordcount_pv")
    everything = wordcount.rows(*words)
    since, until = "2026-11-21T09:17:30Z", "2026-11-21T09:18:00Z"
    first, last = datetime.fromisoformat(since), datetime.fromisoformat(until)
    chosen = [row for row in everything if first <= datetime.fromisoformat(row["record_time"]) <= last]
    assert 0 < len(chosen) < len(everything)
    assert wordcount.rows(*words, "--since", since, "--until", until) == chosen


def test_a_history_shows_milliseconds(wordcount: CommandLine) -> None:
    printed = wordcount.done("checkpoint", "history", "wordcount_pv", "--limit", "1")
    assert "written at (UTC)" in printed
    assert "2026-11-21 09:18:13.221" in printed


def test_json_has_the_columns_of_the_relation(wordcount: CommandLine) -> None:
    (row, *_) = wordcount.rows("checkpoint", "show", "wordcount_pv")
    query = "select column_name from information_schema.columns where table_schema = 'coordinator'"
    columns = wordcount.ask(f"{query} and table_name = 'checkpoint' order by ordinal_position")
    assert list(row) == [name for (name,) in columns]
