"""`coordstream startpoint delete`, on recording A's job in logs that can be appended to."""

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
    """Recording A's job, an hour after its last commit."""
    set_clock(monkeypatch, NOW)
    unreachable_inputs(monkeypatch)
    return appendable


def append(job: CommandLine, *events: NewEvent) -> None:
    with PostgresEventLog(job.database_url, COORDINATOR) as log:
        log.append([event._replace(timestamp=NOW_MS) for event in events])


def test_it_shows_what_goes_and_where_tasks_start_then(job: CommandLine) -> None:
    assert requests(job).keys() == LEFT_BY_THE_RECORDING
    printed = job.done(*DELETE, "kafka.page-views.9", "--yes")
    told = " ".join(printed.split())
    assert f"Startpoints requested for {JOB} that would be deleted" in printed
    assert "kafka.page-views.9 at offset 2" in told
    assert f"Starts of {JOB} without them" in printed
    assert "Partition 1 kafka.page-views.9 at offset 2 (startpoint) at offset 5 (checkpoint)" in told
    assert printed.splitlines()[-3:] == [
        "1 startpoint deleted.",
        "To request them again:",
        f"  coordstream startpoint write {JOB} kafka.page-views.9 2",
    ]
    assert requests(job).keys() == LEFT_BY_THE_RECORDING - {"kafka.page-views.9"}


def test_those_of_every_task_and_those_of_one_are_told_apart(job: CommandLine) -> None:
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
    assert job.refused(*DELETE, "--all", "--yes") == (
        f"job {JOB} has no startpoint requested: there is nothing to delete."
    )


def test_every_spelling_goes_and_what_cant_be_read(job: CommandLine) -> None:
    nine = startpoint("kafka.page-views.9", StartpointOldest(1))
    append(
        job,
        raw(b'[1, "samza-startpoint-v1", "kafka.page-views.9"]', nine.value),
        raw(coordinator_key("samza-startpoint-v1", "kafka.page-views.0"), b"{bad"),
    )
    printed = job.done(*DELETE, "kafka.page-views", "--yes")
    assert "(can't be read)" in printed
    assert end(job) == END + 2 + 3
    assert "there are kafka.gone.0, " in job.refused(*DELETE, "kafka.page-views", "--yes")


def test_what_was_handed_out_can_only_be_outranked(job: CommandLine) -> None:
    assert job("startpoint", "fan-out", JOB, "--yes").code == 0
    refused = job.refused(*DELETE, "kafka.page-views.9", "--yes")
    assert refused.startswith(
        "what was requested for kafka.page-views.9 has been handed to tasks, who start there until"
    )
    assert "no startpoint is requested for kafka.page-views.8" in job.refused(*DELETE, "kafka.page-views.8", "--yes")


def test_a_dry_run_deletes_nothing(job: CommandLine) -> None:
    assert job.done(*DELETE, "--all", "--dry-run").splitlines()[-1] == "Nothing was deleted: this was a dry run."
    assert [row["is_deleted"] for row in job.rows(*DELETE, "--all", "--dry-run")] == [False] * 4
    assert end(job) == END


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        ((), 2, "give the INPUT whose startpoints are to be deleted, or --all"),
        (("kafka.page-views", "--all"), 2, "give the INPUT whose startpoints are to be deleted, or --all"),
        (("--all", "--task", "Partition 3"), 2, "give the INPUT whose startpoints are to be deleted, or --all"),
        (("kafka.page-views.3", "--yes"), 1, "no startpoint is requested for kafka.page-views.3 like that: there are"),
        (("kafka.page-views",), 1, "Nothing was deleted: confirmation needs a terminal."),
    ],
)
def test_what_is_refused_deletes_nothing(job: CommandLine, words: tuple[str, ...], code: int, sentence: str) -> None:
    finished = job(*DELETE, *words)
    assert finished.code == code
    assert sentence in finished.err
    assert end(job) == END


def test_where_tasks_start_then_may_not_be_known(job: CommandLine) -> None:
    append(job, config_set("task.checkpoint.factory", "my.Factory"))
    for more in ((), ("--json",)):
        finished = job(*DELETE, "kafka.page-views.9", "--dry-run", *more)
        assert "where the tasks are, and whether they run, is not known: task.checkpoint.factory" in finished.err
