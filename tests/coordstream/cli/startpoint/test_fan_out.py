"""`coordstream startpoint fan-out`, on the job of recording A in writable logs."""

from datetime import timedelta

import pytest

from eventlog.postgres.log import PostgresEventLog
from eventlog.startpoint import StartpointOldest, StartpointSpecific
from tests.builders import config_set
from tests.coordstream.command_line import COORDINATOR, CommandLine
from tests.coordstream.rewound_job import (
    END,
    JOB,
    LAST_COMMIT,
    NOW,
    NOW_MS,
    end,
    facts,
    page_views,
    requests,
    set_clock,
    unreachable_inputs,
)

FAN_OUT = ("startpoint", "fan-out", "wordcount_pv")


@pytest.fixture
def job(appendable: CommandLine, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """The job of recording A, an hour after its last commit; two requests of the recording can be fanned out."""
    set_clock(monkeypatch, NOW)
    unreachable_inputs(monkeypatch)
    return appendable


def test_requests_are_fanned_out_to_the_tasks_that_read_the_partitions(job: CommandLine) -> None:
    job("startpoint", "write", JOB, "kafka.page-views.0-1", "7", "--yes")
    finished = job(*FAN_OUT, "--yes")
    assert finished.code == 0
    assert (
        finished.out.splitlines()[-1]
        == "4 startpoints fanned out to 3 tasks. Each task starts there at its next start."
    )
    assert "Not read by any task, or ambiguous, and therefore not fanned out: " in finished.err
    assert "kafka.gone.0" in finished.err
    seven = StartpointSpecific("7", NOW_MS)
    fan_outs = facts(job).fanned_out
    assert fan_outs.keys() == {"Partition 0", "Partition 1", "Partition 4"}
    assert fan_outs["Partition 0"] == {page_views(0): seven}
    assert fan_outs["Partition 1"].keys() == {page_views(1), page_views(9)}
    assert requests(job).keys() == {"kafka.gone.0", "kafka.page-views.7.Partition 3"}


def test_a_dry_run_shows_the_fan_out_and_writes_nothing(job: CommandLine) -> None:
    rows = job(*FAN_OUT, "--dry-run", "--json").json
    assert [(row["task_name"], row["partition_id"], row["start"], row["is_written"]) for row in rows] == [
        ("Partition 1", 9, "at offset 2", False),
        ("Partition 4", 12, "at the first event since 2023-11-14 22:13:20 UTC", False),
    ]
    assert job(*FAN_OUT, "--dry-run").out.splitlines()[-1] == "Nothing was written (dry run)."
    assert end(job) == END


def test_csv_has_the_same_header_without_rows(job: CommandLine) -> None:
    (header, *rows) = job(*FAN_OUT, "--yes", "--csv").out.splitlines()
    assert len(rows) == 2
    assert job(*FAN_OUT, "--yes", "--csv").out.splitlines() == [header]


def test_a_running_job_is_refused(job: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    set_clock(monkeypatch, LAST_COMMIT + timedelta(seconds=4))  # task.commit.ms=1500
    refused = job(*FAN_OUT, "--yes")
    assert refused.code == 1
    assert f"{JOB} appears to be running (last checkpoint 4 s ago). Stop it first, or use --force." in refused.err
    assert end(job) == END
    assert job(*FAN_OUT, "--yes", "--force").code == 0
    assert facts(job).fanned_out


def test_expired_requests_are_not_fanned_out(job: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    set_clock(monkeypatch, NOW + timedelta(hours=12))
    finished = job(*FAN_OUT, "--yes")
    assert (finished.code, end(job)) == (0, END)
    assert "  none" in finished.out
    assert "Expired after 12 hours, not fanned out: kafka.gone.0" in finished.err
    assert job(*FAN_OUT, "--yes", "--json").json == []


def test_startpoints_not_consumed_yet_stay(job: CommandLine) -> None:
    job("startpoint", "write", JOB, "kafka.page-views.1", "oldest", "--yes")
    job(*FAN_OUT, "--yes")
    job("startpoint", "write", JOB, "kafka.page-views.1", "8", "--yes")
    job(*FAN_OUT, "--yes")
    fan_outs = facts(job).fanned_out["Partition 1"]
    assert fan_outs[page_views(1)] == StartpointSpecific("8", NOW_MS)
    assert fan_outs[page_views(9)] == StartpointSpecific("2", 1_795_252_699_018)
    assert StartpointOldest(NOW_MS) not in fan_outs.values()


def test_confirmation_is_required(job: CommandLine) -> None:
    assert "Nothing was fanned out: confirmation needs a terminal." in job(*FAN_OUT).err
    assert end(job) == END


def test_unknown_checkpoints_are_a_warning(job: CommandLine) -> None:
    with PostgresEventLog(job.database_url, COORDINATOR) as log:
        log.append([config_set("task.checkpoint.factory", "my.Factory")._replace(timestamp=NOW_MS)])
    finished = job(*FAN_OUT, "--yes")
    assert finished.code == 0
    assert "warning: The job's checkpoints, and whether it is running, are unknown: " in finished.err
