"""`coordstream startpoint delete`, on the job of recording A in writable logs."""

import pytest

from eventlog.events import NewEvent
from eventlog.postgres.log import PostgresEventLog
from eventlog.startpoint import StartpointOldest
from tests.builders import config_set, coordinator_key, raw, startpoint
from tests.coordstream.command_line import COORDINATOR, CommandLine
from tests.coordstream.rewound_job import END, JOB, NOW, NOW_MS, end, requests, set_clock, unreachable_inputs

DELETE = ("startpoint", "delete", "wordcount_pv")
LEFT_BY_THE_RECORDING = {
    "kafka.gone.0",
    "kafka.page-views.7.Partition 3",
    "kafka.page-views.9",
    "kafka.page-views.12.Partition 4",
}


@pytest.fixture
def job(appendable: CommandLine, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """The job of recording A, an hour after its last commit."""
    set_clock(monkeypatch, NOW)
    unreachable_inputs(monkeypatch)
    return appendable


def append(job: CommandLine, *events: NewEvent) -> None:
    with PostgresEventLog(job.database_url, COORDINATOR) as log:
        log.append([event._replace(timestamp=NOW_MS) for event in events])


def test_the_plan_shows_requests_and_starts(job: CommandLine) -> None:
    assert requests(job).keys() == LEFT_BY_THE_RECORDING
    printed = job.done(*DELETE, "kafka.page-views.9", "--yes")
    words = " ".join(printed.split())
    assert f"Startpoint requests of {JOB} to delete" in printed
    assert "kafka.page-views.9 at offset 2" in words
    assert f"Next start of {JOB} without them" in printed
    assert "Partition 1 kafka.page-views.9 at offset 2 (startpoint) at offset 5 (checkpoint)" in words
    assert printed.splitlines()[-3:] == [
        "1 startpoint deleted.",
        "To undo:",
        f"  coordstream startpoint write {JOB} kafka.page-views.9 2",
    ]
    assert requests(job).keys() == LEFT_BY_THE_RECORDING - {"kafka.page-views.9"}


def test_requests_for_every_task_and_for_one_are_separate(job: CommandLine) -> None:
    rows = job.rows(*DELETE, "kafka.page-views", "--yes")
    assert [(row["startpoint_key"], row["startpoint_value"], row["is_deleted"]) for row in rows] == [
        ("kafka.page-views.9", "2", True)
    ]
    job.done(*DELETE, "kafka.page-views", "--task", "Partition 3", "--task", "Partition 4", "--yes")
    assert requests(job).keys() == {"kafka.gone.0"}
    job.done(*DELETE, "kafka.gone.0", "--yes")  # a stream that the job does not read, too
    assert requests(job) == {}


def test_all_of_a_job(job: CommandLine) -> None:
    job.done(*DELETE, "--all", "--yes")
    assert requests(job) == {}
    assert job.refused(*DELETE, "--all", "--yes") == (f"Nothing to delete: {JOB} has no requested startpoints.")


def test_all_spellings_and_unreadable_values_are_deleted(job: CommandLine) -> None:
    nine = startpoint("kafka.page-views.9", StartpointOldest(1))
    append(
        job,
        raw(b'[1, "samza-startpoint-v1", "kafka.page-views.9"]', nine.value),
        raw(coordinator_key("samza-startpoint-v1", "kafka.page-views.0"), b"{bad"),
    )
    printed = job.done(*DELETE, "kafka.page-views", "--yes")
    assert "(unreadable)" in printed
    assert end(job) == END + 2 + 3
    assert "Requests: kafka.gone.0, " in job.refused(*DELETE, "kafka.page-views", "--yes")


def test_a_fan_out_cannot_be_deleted(job: CommandLine) -> None:
    assert job("startpoint", "fan-out", JOB, "--yes").code == 0
    refused = job.refused(*DELETE, "kafka.page-views.9", "--yes")
    assert refused.startswith(
        "The request for kafka.page-views.9 is already fanned out to tasks, which start there until"
    )
    assert "No matching request for kafka.page-views.8." in job.refused(*DELETE, "kafka.page-views.8", "--yes")


def test_a_dry_run_deletes_nothing(job: CommandLine) -> None:
    assert job.done(*DELETE, "--all", "--dry-run").splitlines()[-1] == "Nothing was deleted (dry run)."
    assert [row["is_deleted"] for row in job.rows(*DELETE, "--all", "--dry-run")] == [False] * 4
    assert end(job) == END


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        ((), 2, "Expected an INPUT, or --all"),
        (("kafka.page-views", "--all"), 2, "Expected an INPUT, or --all"),
        (("--all", "--task", "Partition 3"), 2, "Expected an INPUT, or --all"),
        (("kafka.page-views.3", "--yes"), 1, "No matching request for kafka.page-views.3. Requests: "),
        (("kafka.page-views",), 1, "Nothing was deleted: confirmation needs a terminal."),
    ],
)
def test_rejected_arguments_delete_nothing(job: CommandLine, words: tuple[str, ...], code: int, sentence: str) -> None:
    finished = job(*DELETE, *words)
    assert finished.code == code
    assert sentence in finished.err
    assert end(job) == END


def test_unknown_checkpoints_are_a_warning(job: CommandLine) -> None:
    append(job, config_set("task.checkpoint.factory", "my.Factory"))
    for more in ((), ("--json",)):
        finished = job(*DELETE, "kafka.page-views.9", "--dry-run", *more)
        assert "The job's checkpoints, and whether it is running, are unknown: " in finished.err


def test_a_request_that_another_writer_changes_meanwhile_is_kept(
    job: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write_another(*_words: str, **_options: object) -> None:
        append(job, startpoint("kafka.page-views.9", StartpointOldest(NOW_MS)))

    monkeypatch.setattr("coordstream.cli.startpoint.confirm", write_another)
    finished = job(*DELETE, "kafka.page-views.9")
    assert finished.code == 1
    assert finished.err.splitlines()[-1] == (
        f"Another writer changed the startpoint request 'kafka.page-views.9' at offset {END}. Nothing was written. "
        f"Look at `coordstream startpoint show {JOB}`."
    )
    assert end(job) == END + 1
