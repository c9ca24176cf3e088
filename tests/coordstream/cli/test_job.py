from pathlib import Path

import pytest

from eventlog.events import RecordedEvent
from projections.job_choice import NO_LOGS
from tests.acceptance.imported_job import ImportedJob
from tests.builders import checkpoint_v1, container_host, task_partition
from tests.coordstream.command_line import CHECKPOINT, COORDINATOR, CommandLine, config_event, recording


@pytest.mark.usefixtures("narrow")
def test_jobs_are_listed_with_the_states_of_their_logs(wordcount: CommandLine, tmp_path: Path) -> None:
    spoilt = RecordedEvent(1, 1, 0, b'[1,"set-config","a"]', b"no json")
    wordcount.done("import", recording(tmp_path / "r.jsonl", [config_event(0, "job.name", "counts"), spoilt]))
    counts, recorded = wordcount.rows("job", "list")
    assert (counts["job_name"], counts["checkpoint_stream"], counts["quarantine_open"]) == ("counts", None, 1)
    assert (recorded["job_name"], recorded["task_count"], recorded["container_count"]) == ("wordcount_pv", 8, 2)
    shown = ("state", "state_detail", "log_state", "log_lag", "quarantine_open", "gap_count")
    assert [recorded[name] for name in shown] == ["stopped", "recorded", "stopped", 0, 0, 0]
    assert [row["job_name"] for row in wordcount("job", "list", "--problems", "--json").json] == ["counts"]
    printed = wordcount.done("job", "list")
    assert "wordcount_pv/1" in printed
    assert max(map(len, printed.splitlines())) <= 80


@pytest.mark.usefixtures("narrow")
def test_a_job_is_shown_with_its_logs_and_metadata(wordcount: CommandLine) -> None:
    (row,) = wordcount.rows("job", "show", "wordcount_pv")
    assert (row["coordinator_stream"], row["checkpoint_stream"]) == (COORDINATOR, CHECKPOINT)
    assert row["last_record_time"] == "2026-11-21T09:18:19.033Z"
    assert [(log["stream_name"], log["next_offset"]) for log in row["logs"]] == [(COORDINATOR, 427), (CHECKPOINT, 388)]
    assert [sorted(metadata)[:3] for metadata in row["metadata"]] == [["cluster_type", "config_id", "epoch_id"]]
    printed = wordcount.done("job", "show", "wordcount_pv", "--utc")
    assert row["metadata"][0]["epoch_id"] in printed
    assert "2026-11-21 09:18:19" in printed
    assert max(map(len, printed.splitlines())) <= 80


def test_a_job_whose_name_two_streams_have_is_shown_with_the_logs_of_both(cli: CommandLine, tmp_path: Path) -> None:
    streams = ["__samza_coordinator_counts_1", "__samza_coordinator_copy_1"]
    for number, stream in enumerate(streams):
        cli.done("import", recording(tmp_path / f"{number}.jsonl", [config_event(0, "job.name", "counts")], stream))
    rows = cli.rows("job", "show", "counts")
    assert [row["coordinator_stream"] for row in rows] == sorted(streams)
    assert [sorted(log["stream_name"] for log in row["logs"]) for row in rows] == [sorted(streams)] * 2
    assert all(stream in cli.done("job", "show", "counts") for stream in streams)


def test_an_empty_database_has_no_jobs(cli: CommandLine) -> None:
    finished = cli("job", "list", "--json")
    assert (finished.code, finished.json) == (0, [])
    assert NO_LOGS in finished.err
    assert NO_LOGS in cli.refused("job", "show", "nope")


def test_jobs_are_selected_by_what_they_read_and_where_they_run(cli: CommandLine) -> None:
    """A task that only an old checkpoint names no longer exists."""
    with cli.connection() as connection:
        connection.autocommit = True
        for number, name in enumerate(("orders", "views", "clicks")):
            read = task_partition(f"kafka.{name}.0")
            commits = [checkpoint_v1(task, {f"kafka.{name}.0": "7"}) for task in ("Partition 0", "Partition 1")]
            ImportedJob(
                connection, name, coordinator=[read, container_host("0", f"host-{number % 2}")], checkpoints=commits
            )

    def listed(*words: str) -> list[str]:
        return [row["job_name"] for row in cli.rows("job", "list", *words)]

    assert listed("--sort", "name") == ["clicks", "orders", "views"]
    assert listed("--reads", "kafka.views") == listed("--reads", "views") == ["views"]
    assert listed("--host", "host-0", "--limit", "1") == ["clicks"]
    assert listed("--host", "host-0", "--reads", "views") == []
    assert [row["task_count"] for row in cli.rows("job", "list")] == [1, 1, 1]
