"""`coordstream startpoint write`, on the job of recording A in writable logs."""

from datetime import timedelta

import pytest
import typer

from coordstream.cli import startpoint_plan
from eventlog.events import NewEvent
from eventlog.postgres.log import PostgresEventLog
from eventlog.startpoint import StartpointOldest, StartpointSpecific, StartpointTimestamp
from eventlog.streams import identify
from eventlog.system_admin import ResolvedStartpoint, SystemStreamPartitionMetadata
from managers.startpoints.startpoint_request import InputProblem, ResolvedInput
from tests.builders import config_set, fan_out, raw, startpoint, task_partition
from tests.coordstream.command_line import COORDINATOR, CommandLine
from tests.coordstream.rewound_job import (
    END,
    JOB,
    LAST_COMMIT,
    NOT_ASKED,
    NOW,
    NOW_MS,
    TWO_HOURS_AGO_MS,
    end,
    requests,
    set_clock,
    unreachable_inputs,
)
from tests.fixtures.kafka_topics import COMPACTED_AND_DELETED, Topics

WRITE = ("startpoint", "write", "wordcount_pv")
ONE = (*WRITE, "kafka.page-views.3", "7")


@pytest.fixture
def job(appendable: CommandLine, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """The job of recording A, an hour after its last commit."""
    set_clock(monkeypatch, NOW)
    unreachable_inputs(monkeypatch)
    return appendable


def warned(job: CommandLine, *words: str) -> list[str]:
    """The warnings of a command that succeeds."""
    finished = job(*words)
    assert finished.code == 0
    return [line.removeprefix("warning: ") for line in finished.err.splitlines()]


def test_a_whole_stream_is_rewound_at_once(job: CommandLine) -> None:
    finished = job(*WRITE, "kafka.page-views", "2", "hours", "ago", "--yes")
    assert finished.code == 0
    assert end(job) == END + 16
    requested = StartpointTimestamp(TWO_HOURS_AGO_MS, NOW_MS)
    assert {key: each for key, each in requests(job).items() if each.creation_timestamp == NOW_MS} == {
        f"kafka.page-views.{number}": requested for number in range(16)
    }
    with PostgresEventLog(job.database_url, COORDINATOR) as log:
        (event,) = log.read(END, END + 1)
    assert event.key == b'[1,"samza-startpoint-v1","kafka.page-views.0"]'
    assert event.value == (
        b'{"@type":"StartpointTimestamp","creationTimestamp":%d,"timestampOffset":%d}' % (NOW_MS, TWO_HOURS_AGO_MS)
    )


@pytest.mark.parametrize("position", ["-2h", "-120minutes", "-7200sec"])
def test_a_time_with_a_dash_is_not_taken_for_options(job: CommandLine, position: str) -> None:
    assert job(*WRITE, "kafka.page-views.3", position, "--yes").code == 0
    assert requests(job)["kafka.page-views.3"] == StartpointTimestamp(TWO_HOURS_AGO_MS, NOW_MS)


def test_the_plan_and_the_undo_commands_are_printed(job: CommandLine) -> None:
    finished = job(*WRITE, "kafka.page-views", "2 hours ago", "--yes")
    lines = finished.out.splitlines()
    since = "at the first event since 2026-11-21 08:18:13 UTC"
    assert lines[0] == f"Next start of {JOB}, if requested to start {since}"
    printed = " ".join(finished.out.split())
    assert "Partition 1 kafka.page-views.1 at offset 30 (checkpoint) as requested" in printed
    assert "Partition 1 kafka.page-views.9 at offset 2 (startpoint) as requested" in printed
    assert lines[-5:] == [
        f"16 startpoints written. {JOB} starts there if it starts before 2026-11-21 22:18 UTC.",
        "To undo:",
        f"  coordstream startpoint delete {JOB} kafka.page-views.0-15",
        "Then, to restore the replaced requests:",
        f"  coordstream startpoint write {JOB} kafka.page-views.9 2",
    ]
    warnings = finished.err.splitlines()
    assert warnings[0] == NOT_ASKED
    assert any("does not rewind the state store counts" in line for line in warnings)
    assert any("yarn.am.high-availability.enabled is true" in line for line in warnings)
    assert "warning: This replaces the request for kafka.page-views.9 to start at offset 2." in warnings


def test_rows_have_the_start_before_and_after(job: CommandLine) -> None:
    finished = job(*WRITE, "kafka.page-views.0-1,12", "oldest", "--yes", "--json")
    rows = finished.json
    assert [(row["task_name"], row["partition_id"]) for row in rows] == [
        ("Partition 0", 0),
        ("Partition 1", 1),
        ("Partition 4", 12),
    ]
    assert rows[2] == {
        "job_name": "wordcount_pv",
        "job_id": "1",
        "task_name": "Partition 4",
        "system_name": "kafka",
        "stream_name": "page-views",
        "partition_id": 12,
        "key_bucket": -1,
        "startpoint_type": "oldest",
        "startpoint_value": None,
        "old_decided_by": "startpoint",
        "old_start": "at the first event since 2023-11-14 22:13:20 UTC (startpoint)",
        "new_decided_by": "startpoint",
        "new_start": "at the oldest event (startpoint)",
        "is_followed": True,
        "resolved_offset": None,
        "events_again": None,
        "is_written": True,
    }
    assert finished.err.splitlines()[0] == NOT_ASKED


def test_for_one_task(job: CommandLine) -> None:
    job(*WRITE, "kafka.page-views", "upcoming", "--task", "Partition 4", "--yes")
    written = {key for key, each in requests(job).items() if each.creation_timestamp == NOW_MS}
    assert written == {"kafka.page-views.4.Partition 4", "kafka.page-views.12.Partition 4"}


def test_the_undo_commands_work(job: CommandLine) -> None:
    before = requests(job)
    printed = job(*WRITE, "kafka.page-views", "5", "--task", "Partition 4", "--yes").out
    assert "delete wordcount_pv/1 kafka.page-views.4,12 --task 'Partition 4'" in printed
    assert "kafka.page-views.12 2023-11-14T22:13:20.001Z --task 'Partition 4'" in printed
    job.done("startpoint", "delete", JOB, "kafka.page-views.4,12", "--task", "Partition 4", "--yes")
    assert requests(job) == {key: each for key, each in before.items() if key != "kafka.page-views.12.Partition 4"}


def test_a_dry_run_writes_nothing(job: CommandLine) -> None:
    finished = job(*ONE, "--dry-run")
    assert finished.out.splitlines()[-1] == "Nothing was written (dry run)."
    (row,) = job(*ONE, "--dry-run", "--json").json
    assert (row["old_start"], row["new_start"], row["is_written"]) == (
        "at offset 25 (checkpoint)",
        "at offset 7 (startpoint)",
        False,
    )
    assert end(job) == END


@pytest.mark.parametrize(("behind", "is_refused"), [(60, False), (61, True)])
def test_a_clock_that_is_more_than_an_hour_behind_is_refused(
    job: CommandLine, monkeypatch: pytest.MonkeyPatch, behind: int, is_refused: bool
) -> None:
    newest = LAST_COMMIT.replace(second=19, microsecond=33_000)  # when the last startpoint was requested
    set_clock(monkeypatch, newest - timedelta(minutes=behind))
    assert job(*ONE, "--yes").code == is_refused
    assert end(job) == END + (not is_refused)
    if is_refused:
        sentence = job.refused(*ONE, "--yes")
        assert sentence.startswith("The clock of this computer (2026-11-21 08:17 UTC) is 1.0 hours behind")
        assert any(line.startswith("The clock of this computer") for line in warned(job, *ONE, "--dry-run"))
        assert job(*ONE, "--yes", "--force").code == 0
        assert end(job) == END + 1


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (("kafka.page-views", "7"), 1, "Nothing was written: confirmation needs a terminal."),
        (("kafka.page-view", "7", "--yes"), 1, "The job does not read kafka.page-view. Its inputs: kafka.page-views"),
        (("kafka.rules", "7", "--yes"), 1, "The job does not read kafka.rules"),
        (
            ("kafka.page-views.16", "7", "--yes"),
            1,
            "No task reads partition 16 of kafka.page-views; the last partition is 15",
        ),
        (("kafka.page-views", "7", "--task", "x", "--yes"), 1, "The job has no task 'x'. Its tasks: Partition 0, "),
        (
            ("kafka.page-views.3", "7", "--task", "Partition 4", "--yes"),
            1,
            "Task 'Partition 4' does not read partition 3",
        ),
        (("kafka", "7", "--yes"), 2, "Invalid input 'kafka'. Expected SYSTEM.STREAM or "),
        (("kafka.page-views", "latest", "--yes"), 2, "Invalid position 'latest'. Use oldest, upcoming"),
        (("kafka.page-views", "1795252699000", "--yes"), 2, "Use offset:1795252699000 or 2026-11-21T09:18:19Z."),
        (("kafka.page-views", "offset:abc", "--yes"), 1, "Invalid offset 'abc' for kafka.page-views. "),
        (("kafka.page-views", "offset:-1", "--yes"), 1, "Invalid offset '-1' for kafka.page-views. "),
        (("kafka.page-views", str(2**63), "--yes"), 1, f"Expected a number from 0 to {2**63 - 1}. "),
        (("kafka.page-views", "7", "--input-bootstrap-servers", "x"), 2, "list of host:port"),
        (("kafka.page-views",), 2, "Missing argument 'POSITION'"),
    ],
)
def test_rejected_arguments_write_nothing(job: CommandLine, words: tuple[str, ...], code: int, sentence: str) -> None:
    finished = job(*WRITE, *words)
    assert finished.code == code
    assert sentence in finished.err.splitlines()[-1]
    assert end(job) == END


@pytest.mark.parametrize("is_confirmed", [True, False])
def test_confirmation_on_a_terminal(job: CommandLine, monkeypatch: pytest.MonkeyPatch, is_confirmed: bool) -> None:
    def confirm(question: str, **_: object) -> bool:
        assert question == "Write 2 startpoints?"
        return is_confirmed

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr(typer, "confirm", confirm)
    assert job(*WRITE, "kafka.page-views.0,3", "7").code == (not is_confirmed)
    assert end(job) == END + 2 * is_confirmed


def test_force_writes_what_the_job_does_not_read(job: CommandLine) -> None:
    finished = job(*WRITE, "kafka.page-views.15,16", "oldest", "--yes", "--force")
    assert finished.code == 0
    assert "(no task reads it) kafka.page-views.16" in " ".join(finished.out.split())
    assert {"kafka.page-views.15", "kafka.page-views.16"} <= requests(job).keys()
    (_, row) = job(*WRITE, "kafka.page-views.15,16", "oldest", "--dry-run", "--force", "--json").json
    assert (row["task_name"], row["partition_id"], row["new_start"]) == (None, 16, None)


def answer(monkeypatch: pytest.MonkeyPatch, problem: InputProblem | None = None) -> None:
    """An input whose partitions have events 10 to 29, where the startpoint resolves to 12 in partition 3."""
    ends = {number: SystemStreamPartitionMetadata("10", "29", "30") for number in range(17)}
    answered = ResolvedInput(ends, {3: ResolvedStartpoint("12")}, {} if problem is None else {3: problem})
    monkeypatch.setattr(startpoint_plan, "_resolve", lambda *_: (answered, ""))


def test_resolved_offsets_are_shown(job: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch)
    words = (*WRITE, "kafka.page-views.3", "3h", "--dry-run")
    (row,) = job(*words, "--json").json
    assert (row["old_start"], row["resolved_offset"], row["events_again"]) == ("at offset 25 (checkpoint)", "12", 13)
    printed = job(*words)
    assert "13 again" in printed.out
    assert "not checked" not in printed.err


def test_a_whole_stream_has_the_partitions_that_the_input_has(
    job: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch)
    rows = job(*WRITE, "kafka.page-views", "3h", "--dry-run", "--json").json
    assert [row["partition_id"] for row in rows if row["task_name"] is None] == [16]


@pytest.mark.parametrize(
    ("position", "problem", "sentence"),
    [
        ("3h", InputProblem.AFTER_LAST, "Partition 3: no event is that late. The job starts with the next new event."),
        (
            "3h",
            InputProblem.BEFORE_RETAINED,
            "Partition 3: events since that time may already be deleted. The job starts at the oldest event.",
        ),
        (
            "7",
            InputProblem.AFTER_LAST,
            "Partition 3: the offset is beyond the end. The consumer's auto.offset.reset ",
        ),
        (
            "7",
            InputProblem.BEFORE_RETAINED,
            "Partition 3: the event at that offset is already deleted. The consumer's ",
        ),
        ("7", InputProblem.NOT_THERE, "Partition 3: not found in the input."),
    ],
)
def test_warnings_about_the_input(
    job: CommandLine, monkeypatch: pytest.MonkeyPatch, position: str, problem: InputProblem, sentence: str
) -> None:
    answer(monkeypatch, problem)
    sentences = warned(job, *WRITE, "kafka.page-views", position, "--dry-run")
    assert any(line.startswith(sentence) for line in sentences)
    assert not any("Partition 3:" in line for line in warned(job, *WRITE, "kafka.page-views.4", position, "--dry-run"))


def test_a_time_in_the_future_is_a_warning(job: CommandLine) -> None:
    sentences = warned(job, *WRITE, "kafka.page-views", "2026-11-21 12:00 UTC", "--dry-run")
    assert any(line.startswith("The time is in the future.") for line in sentences)


def another_job(cli: CommandLine, *events: NewEvent) -> str:
    """Create the coordinator stream of a job and return the job's name."""
    stream = "__samza_coordinator_counts_1"
    with PostgresEventLog.create(cli.database_url, identify(stream)) as log:
        log.append([event._replace(timestamp=NOW_MS) for event in events])
    return "counts"


@pytest.fixture
def other(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """The command line without a job."""
    set_clock(monkeypatch, NOW)
    unreachable_inputs(monkeypatch)
    return cli


@pytest.mark.scenario("HRD-42")
def test_warning_about_a_coordinator_that_does_not_fan_out_startpoints(other: CommandLine) -> None:
    factory = config_set("job.coordinator.factory", "org.apache.samza.standalone.PassthroughJobCoordinatorFactory")
    job = another_job(other, task_partition("kafka.in.0"), factory)
    sentences = warned(other, "startpoint", "write", job, "kafka.in", "oldest", "--yes")
    assert any("does not fan out startpoints" in line for line in sentences)
    assert "Run `coordstream startpoint fan-out counts/1` while the job is stopped instead." in sentences


def test_warnings_about_a_dotted_stream_and_an_ambiguous_key(other: CommandLine) -> None:
    assigned = [task_partition("kafka.s.1", "2"), task_partition("kafka.s.1.2", "u")]
    sentences = warned(other, "startpoint", "write", another_job(other, *assigned), "kafka.s.1.2", "7", "--yes")
    assert any("stream s.1 contains a dot" in line for line in sentences)
    assert any("The key kafka.s.1.2 can also mean" in line for line in sentences)
    (follower,) = [line for line in sentences if "takes precedence" in line]
    assert follower.startswith("Task 'u' would start kafka.s.1.2 with the next new event (default): a newer request")


def test_warning_about_what_samza_would_drop(other: CommandLine) -> None:
    reads = [task_partition("kafka.in.0", "a"), task_partition("kafka.in.1", "a")]
    held = fan_out("a", {"kafka.in.0": StartpointOldest(1), "kafka.in.1": StartpointSpecific("3", 1)})
    sentences = warned(other, "startpoint", "write", another_job(other, *reads, held), "kafka.in.0", "7", "--yes")
    (warning,) = [line for line in sentences if "not consumed" in line]
    assert warning.startswith("Startpoints are fanned out and not consumed for kafka.in.1 of task 'a'. Samza's coord")
    assert "kafka.in.0 of task" not in warning


def test_a_job_without_checkpoints_starts_by_default(other: CommandLine) -> None:
    job = another_job(other, task_partition("kafka.in.0", "a"))
    (row,) = other("startpoint", "write", job, "kafka.in", "oldest", "--dry-run", "--json").json
    assert row["old_start"] == "with the next new event (default)"


def test_a_job_without_a_coordinator_stream_is_refused(other: CommandLine) -> None:
    PostgresEventLog.create(other.database_url, identify("__samza_checkpoint_ver_1_for_counts_1")).close()
    refused = other.refused("startpoint", "write", "counts", "kafka.in", "oldest", "--yes")
    assert refused.startswith("Job counts/1 has no coordinator stream.")


def test_a_recording_is_not_appended_to(wordcount: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    set_clock(monkeypatch, NOW)
    unreachable_inputs(monkeypatch)
    refused = wordcount.refused(*ONE, "--yes")
    assert refused.startswith(f"Cannot append to {COORDINATOR}: it was imported from a recording")
    assert wordcount(*ONE, "--dry-run").code == 0


def test_positions_are_resolved_by_the_broker_of_the_input(
    kafka_cli: CommandLine, monkeypatch: pytest.MonkeyPatch, topics: Topics, job_name: str
) -> None:
    set_clock(monkeypatch, NOW)
    views = topics.create(f"{job_name}-views", COMPACTED_AND_DELETED, partitions=2)
    for partition in (0, 1):
        events = [raw(b"k%d" % number, b"v", at=TWO_HOURS_AGO_MS + number * 60_000) for number in range(10)]
        topics.write(views, events, partition=partition)
    topics.delete_before(views, 4)
    stream = topics.create(f"__samza_coordinator_{job_name}_1")
    assigned = [task_partition(f"kafka.{views}.{partition}", "t") for partition in (0, 1)]
    servers = config_set("systems.kafka.consumer.bootstrap.servers", topics.bootstrap_servers)
    topics.write(stream, [each._replace(timestamp=NOW_MS) for each in (*assigned, servers)])

    words = ("startpoint", "write", job_name, f"kafka.{views}", "2", "hours", "ago", "--yes")
    finished = kafka_cli(*words, "--json")
    assert [(row["resolved_offset"], row["events_again"]) for row in finished.json] == [("4", 6), ("0", 10)]
    assert finished.err == (
        "warning: Partition 0: events since that time may already be deleted. The job starts at the oldest event.\n"
    )
    written = topics.kept(stream)[-2:]
    assert [each.key for each in written] == [
        f'[1,"samza-startpoint-v1","kafka.{views}.{partition}"]'.encode() for partition in (0, 1)
    ]
    assert b'"timestampOffset":%d' % TWO_HOURS_AGO_MS in (written[0].value or b"")
    late = kafka_cli("startpoint", "write", job_name, f"kafka.{views}", "1 hour ago", "--dry-run")
    assert "Partitions 0-1: no event is that late. The job starts with the next new event." in late.err
    assert kafka_cli.is_empty()


def test_a_request_that_another_writer_changes_meanwhile_is_kept(
    job: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write_another(*_words: str, **_options: bool) -> None:
        with PostgresEventLog(job.database_url, COORDINATOR) as log:
            log.append([startpoint("kafka.page-views.0", StartpointOldest(NOW_MS))])

    monkeypatch.setattr("coordstream.cli.startpoint.confirm", write_another)
    finished = job(*WRITE, "kafka.page-views.0", "7")
    assert finished.code == 1
    assert finished.err.splitlines()[-1] == (
        f"Another writer changed the startpoint request 'kafka.page-views.0' at offset {END}. Nothing was written. "
        f"Look at `coordstream startpoint show {JOB}`."
    )
    with PostgresEventLog(job.database_url, COORDINATOR) as log:
        assert log.end_offset() == END + 1
