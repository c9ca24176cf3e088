"""`coordstream startpoint write`, on recording A's job in logs that can be appended to."""

from datetime import timedelta

import pytest
import typer

from coordstream.cli.startpoint import request
from eventlog.events import NewEvent
from eventlog.postgres.log import PostgresEventLog
from eventlog.startpoint import StartpointOldest, StartpointSpecific, StartpointTimestamp
from eventlog.streams import identify
from eventlog.system_admin import ResolvedStartpoint, SystemStreamPartitionMetadata
from managers.startpoints.startpoint_input import Finding, ResolvedInput
from tests.builders import config_set, fan_out, raw, task_partition
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
    """Recording A's job, an hour after its last commit."""
    set_clock(monkeypatch, NOW)
    unreachable_inputs(monkeypatch)
    return appendable


def warned(job: CommandLine, *words: str) -> list[str]:
    """The warnings of a command that ends well."""
    finished = job(*words)
    assert finished.code == 0
    return [line.removeprefix("warning: ") for line in finished.err.splitlines()]


def test_a_whole_stream_is_rewound_in_one_piece(job: CommandLine) -> None:
    finished = job(*WRITE, "kafka.page-views", "2", "hours", "ago", "--yes")
    assert finished.code == 0
    assert end(job) == END + 16
    asked = StartpointTimestamp(TWO_HOURS_AGO_MS, NOW_MS)
    assert {key: each for key, each in requests(job).items() if each.creation_timestamp == NOW_MS} == {
        f"kafka.page-views.{number}": asked for number in range(16)
    }
    with PostgresEventLog(job.database_url, COORDINATOR) as log:
        (event,) = log.read(END, END + 1)
    assert event.key == b'[1,"samza-startpoint-v1","kafka.page-views.0"]'
    assert event.value == (
        b'{"@type":"StartpointTimestamp","creationTimestamp":%d,"timestampOffset":%d}' % (NOW_MS, TWO_HOURS_AGO_MS)
    )


def test_it_says_what_will_happen_and_how_to_take_it_back(job: CommandLine) -> None:
    finished = job(*WRITE, "kafka.page-views", "2 hours ago", "--yes")
    lines = finished.out.splitlines()
    since = "at the first event since 2026-11-21 08:18:13 UTC"
    assert lines[0] == f"Starts of {JOB} if asked to start {since}"
    told = " ".join(finished.out.split())
    assert "Partition 1 kafka.page-views.1 at offset 30 (checkpoint) as asked" in told
    assert "Partition 1 kafka.page-views.9 at offset 2 (startpoint) as asked" in told
    assert lines[-5:] == [
        f"16 startpoints written: {JOB} follows them when it starts next, until 2026-11-21 22:18 UTC.",
        "To take them back before that:",
        f"  coordstream startpoint delete {JOB} kafka.page-views.0-15",
        "and to request again what was replaced:",
        f"  coordstream startpoint write {JOB} kafka.page-views.9 2",
    ]
    warnings = finished.err.splitlines()
    assert warnings[0] == NOT_ASKED
    assert any("does not rewind the state store counts" in line for line in warnings)
    assert any("yarn.am.high-availability.enabled is true" in line for line in warnings)
    assert "warning: this replaces what was requested for kafka.page-views.9, to start at offset 2" in warnings


def test_rows_hold_before_and_after(job: CommandLine) -> None:
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


def test_what_takes_it_back_does(job: CommandLine) -> None:
    before = requests(job)
    printed = job(*WRITE, "kafka.page-views", "5", "--task", "Partition 4", "--yes").out
    assert "delete wordcount_pv/1 kafka.page-views.4,12 --task 'Partition 4'" in printed
    assert "kafka.page-views.12 2023-11-14T22:13:20.001Z --task 'Partition 4'" in printed
    job.done("startpoint", "delete", JOB, "kafka.page-views.4,12", "--task", "Partition 4", "--yes")
    assert requests(job) == {key: each for key, each in before.items() if key != "kafka.page-views.12.Partition 4"}


def test_a_dry_run_writes_nothing(job: CommandLine) -> None:
    finished = job(*ONE, "--dry-run")
    assert finished.out.splitlines()[-1] == "Nothing was written: this was a dry run."
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
        assert sentence.startswith("this computer's clock says 2026-11-21 08:17 UTC, 1 hours before the newest record")
        assert sentence.endswith("set the clock, or write nevertheless with --force.")
        assert any(line.startswith("this computer's clock says") for line in warned(job, *ONE, "--dry-run"))
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
        (("kafka", "7", "--yes"), 2, "'kafka' is no input: write SYSTEM.STREAM"),
        (("kafka.page-views", "latest", "--yes"), 2, "'latest' is no place to start: write oldest, upcoming"),
        (("kafka.page-views", "1795252699000", "--yes"), 2, "write offset:1795252699000, or 2026-11-21T09:18:19Z"),
        (("kafka.page-views", "7", "--input-bootstrap-servers", "x"), 2, "must be host:port"),
        (("kafka.page-views",), 2, "Missing argument 'POSITION'"),
    ],
)
def test_what_is_refused_writes_nothing(job: CommandLine, words: tuple[str, ...], code: int, sentence: str) -> None:
    finished = job(*WRITE, *words)
    assert finished.code == code
    assert sentence in finished.err.splitlines()[-1]
    assert end(job) == END


@pytest.mark.parametrize("is_wanted", [True, False])
def test_one_is_asked_at_a_terminal(job: CommandLine, monkeypatch: pytest.MonkeyPatch, is_wanted: bool) -> None:
    def confirm(question: str, **_: object) -> bool:
        assert question == "Write 2 startpoints?"
        return is_wanted

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr(typer, "confirm", confirm)
    assert job(*WRITE, "kafka.page-views.0,3", "7").code == (not is_wanted)
    assert end(job) == END + 2 * is_wanted


def test_what_the_job_does_not_read_can_be_forced(job: CommandLine) -> None:
    finished = job(*WRITE, "kafka.page-views.15,16", "oldest", "--yes", "--force")
    assert finished.code == 0
    assert "(no task reads it) kafka.page-views.16" in " ".join(finished.out.split())
    assert {"kafka.page-views.15", "kafka.page-views.16"} <= requests(job).keys()
    (_, row) = job(*WRITE, "kafka.page-views.15,16", "oldest", "--dry-run", "--force", "--json").json
    assert (row["task_name"], row["partition_id"], row["new_start"]) == (None, 16, None)


def answer(monkeypatch: pytest.MonkeyPatch, finding: Finding | None = None) -> None:
    """Let the input say that partition 3 has events 10 to 29, and that what is asked for is event 12."""
    ends = {number: SystemStreamPartitionMetadata("10", "29", "30") for number in range(17)}
    answered = ResolvedInput(ends, {3: ResolvedStartpoint("12")}, {} if finding is None else {3: finding})
    monkeypatch.setattr(request, "_asked", lambda *_: (answered, ""))


def test_what_the_input_says_is_shown(job: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
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
    ("position", "finding", "sentence"),
    [
        ("3h", Finding.AFTER_LAST, "partition 3: no event is as late as that: it starts with the next new event"),
        (
            "3h",
            Finding.BEFORE_RETAINED,
            "partition 3: events since then may be gone already: it starts at the oldest that is there",
        ),
        ("7", Finding.AFTER_LAST, "partition 3: the offset is beyond the end: the job starts where its consumer's"),
        ("7", Finding.BEFORE_RETAINED, "partition 3: the event at that offset is gone already: the job starts where"),
        ("7", Finding.NOT_THERE, "partition 3: the input has none of that number"),
    ],
)
def test_one_is_warned_of_what_the_input_does_not_have(
    job: CommandLine, monkeypatch: pytest.MonkeyPatch, position: str, finding: Finding, sentence: str
) -> None:
    answer(monkeypatch, finding)
    told = warned(job, *WRITE, "kafka.page-views", position, "--dry-run")
    assert any(line.startswith(sentence) for line in told)
    assert not any("partition 3:" in line for line in warned(job, *WRITE, "kafka.page-views.4", position, "--dry-run"))


def test_a_time_to_come_is_warned_of(job: CommandLine) -> None:
    told = warned(job, *WRITE, "kafka.page-views", "2026-11-21 12:00 UTC", "--dry-run")
    assert any(line.startswith("that time is still to come") for line in told)


def another_job(cli: CommandLine, *events: NewEvent) -> str:
    """Make the coordinator stream of a job, and give the job's name."""
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
def test_warns_of_a_coordinator_that_does_not_fan_out_startpoints(other: CommandLine) -> None:
    factory = config_set("job.coordinator.factory", "org.apache.samza.standalone.PassthroughJobCoordinatorFactory")
    job = another_job(other, task_partition("kafka.in.0"), factory)
    told = warned(other, "startpoint", "write", job, "kafka.in", "oldest", "--yes")
    assert any("does not fan out startpoints" in line for line in told)
    assert "while the job stands still, `coordstream startpoint fan-out counts/1` hands it out instead" in told


def test_a_dotted_stream_and_an_ambiguous_key_are_warned_of(other: CommandLine) -> None:
    assigned = [task_partition("kafka.s.1", "2"), task_partition("kafka.s.1.2", "u")]
    told = warned(other, "startpoint", "write", another_job(other, *assigned), "kafka.s.1.2", "7", "--yes")
    assert any("stream s.1 contains a dot" in line for line in told)
    assert any("The key kafka.s.1.2 can also mean" in line for line in told)
    (follower,) = [line for line in told if "nevertheless" in line]
    assert follower.startswith("task 'u' would start kafka.s.1.2 with the next new event (default) nevertheless")


def test_what_samza_would_drop_is_warned_of(other: CommandLine) -> None:
    reads = [task_partition("kafka.in.0", "a"), task_partition("kafka.in.1", "a")]
    held = fan_out("a", {"kafka.in.0": StartpointOldest(1), "kafka.in.1": StartpointSpecific("3", 1)})
    told = warned(other, "startpoint", "write", another_job(other, *reads, held), "kafka.in.0", "7", "--yes")
    assert "kafka.in.1 of task 'a': was handed out and not used yet; Samza's own coordinator drops it when it" in str(
        told
    )
    assert "kafka.in.0 of task" not in str(told)


def test_a_job_without_checkpoints_starts_by_default(other: CommandLine) -> None:
    job = another_job(other, task_partition("kafka.in.0", "a"))
    (row,) = other("startpoint", "write", job, "kafka.in", "oldest", "--dry-run", "--json").json
    assert row["old_start"] == "with the next new event (default)"


def test_a_job_that_has_no_coordinator_stream_is_told(other: CommandLine) -> None:
    PostgresEventLog.create(other.database_url, identify("__samza_checkpoint_ver_1_for_counts_1")).close()
    refused = other.refused("startpoint", "write", "counts", "kafka.in", "oldest", "--yes")
    assert refused.startswith("job counts/1 has no coordinator stream, where startpoints stand")


def test_a_recording_is_not_appended_to(wordcount: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    set_clock(monkeypatch, NOW)
    unreachable_inputs(monkeypatch)
    refused = wordcount.refused(*ONE, "--yes")
    assert refused.startswith(f"nothing can be appended to {COORDINATOR}: it was imported from a recording")
    assert wordcount(*ONE, "--dry-run").code == 0


def test_the_inputs_broker_is_asked(
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
        "warning: partition 0: events since then may be gone already: it starts at the oldest that is there\n"
    )
    written = topics.kept(stream)[-2:]
    assert [each.key for each in written] == [
        f'[1,"samza-startpoint-v1","kafka.{views}.{partition}"]'.encode() for partition in (0, 1)
    ]
    assert b'"timestampOffset":%d' % TWO_HOURS_AGO_MS in (written[0].value or b"")
    late = kafka_cli("startpoint", "write", job_name, f"kafka.{views}", "1 hour ago", "--dry-run")
    assert "partitions 0-1: no event is as late as that: it starts with the next new event" in late.err
    assert kafka_cli.is_empty()
