"""`coordinator.explain` names the event that decides where a task starts, and says why each other one lost."""

from typing import Final, NamedTuple

import pytest

from eventlog.events import NewEvent
from eventlog.postgres.connection import Connection
from eventlog.startpoint import EXPIRY_MS, Startpoint, StartpointOldest, StartpointSpecific, StartpointTimestamp
from tests.acceptance.imported_job import ImportedJob
from tests.builders import (
    FIRST_TIME,
    checkpoint_v1,
    checkpoint_v2,
    config_set,
    fan_out,
    set_checkpoint,
    startpoint,
    task_partition,
    tombstone,
)
from tests.oracle import to_time

pytestmark = pytest.mark.slow

MINUTE: Final = 60_000
SOON: Final = FIRST_TIME + 30 * MINUTE
IN: Final = "kafka.in.0"
READS: Final = (config_set("task.inputs", "kafka.in"), task_partition(IN, "t"))
"""What the coordinator stream of most cases begins with, at offsets 0 and 1."""
NO_EVENT: Final = (None, None)

Event = tuple[str | None, int | None]


class Tried(NamedTuple):
    """A row of `coordinator.explain`."""

    partition: str
    rule: str
    candidate: str | None
    outcome: str
    reason: str
    stream_kind: str | None
    log_offset: int | None

    @property
    def event(self) -> Event:
        """The kind of the log and the offset on it."""
        return self.stream_kind, self.log_offset

    @property
    def code(self) -> str:
        """The short code that the reason begins with."""
        return self.reason.partition(":")[0]


def explained(job: ImportedJob, task: str = "t", at_ms: int | None = SOON) -> list[Tried]:
    """Every step of a task, at a time in ms; None: now."""
    query = (
        "select concat_ws('.', system_name, stream_name, partition_id), rule, candidate, outcome, reason,"
        " stream_kind, log_offset from coordinator.explain(%s, '1', %s, %s)"
    )
    rows = job.connection.execute(query.encode(), (job.name, task, to_time(at_ms)))
    return [Tried(*row) for row in rows]


def winner(steps: list[Tried]) -> tuple[str, str | None, str, Event]:
    """Rule, candidate, code and event of the one that wins."""
    (won,) = [(step.rule, step.candidate, step.code, step.event) for step in steps if step.outcome == "wins"]
    return won


def losers(steps: list[Tried]) -> list[tuple[str, str | None, str, Event]]:
    """Rule, candidate, code and event of those that lose, but for the default; in the order of the decision."""
    return [
        (step.rule, step.candidate, step.code, step.event)
        for step in steps
        if step.outcome == "loses" and step.rule != "default"
    ]


def reason(steps: list[Tried], code: str) -> str:
    """The sentence of the one step with this code."""
    (sentence,) = [step.reason for step in steps if step.code == code]
    return sentence


def test_a_startpoint_goes_before_the_checkpoint(database: Connection) -> None:
    request = startpoint(IN, StartpointSpecific("7", FIRST_TIME))
    job = ImportedJob(database, "wins", coordinator=[*READS, request], checkpoints=[checkpoint_v1("t", {IN: "41"})])
    steps = explained(job)
    assert winner(steps) == ("startpoint", "specific 7", "requested", ("coordinator", 2))
    assert losers(steps) == [("checkpoint", "after 41 (version 1)", "startpoint", ("checkpoint", 0))]
    assert "requested for every task at 2023-11-14 22:13:20 UTC" in reason(steps, "requested")


def test_an_expired_startpoint_loses_to_the_checkpoint(database: Connection) -> None:
    request = startpoint(IN, StartpointSpecific("7", FIRST_TIME))
    job = ImportedJob(database, "expired", coordinator=[*READS, request], checkpoints=[checkpoint_v1("t", {IN: "41"})])
    assert winner(explained(job, at_ms=FIRST_TIME + EXPIRY_MS - 1))[0] == "startpoint"
    steps = explained(job, at_ms=FIRST_TIME + EXPIRY_MS)
    assert winner(steps) == ("checkpoint", "after 41 (version 1)", "checkpoint", ("checkpoint", 0))
    assert losers(steps) == [("startpoint", "specific 7", "expired", ("coordinator", 2))]


@pytest.mark.parametrize("nowhere", [StartpointSpecific(None, FIRST_TIME), StartpointTimestamp(None, FIRST_TIME)])
def test_a_startpoint_without_a_position_loses_together_with_those_it_superseded(
    database: Connection, nowhere: Startpoint
) -> None:
    older = startpoint(f"{IN}.t", StartpointSpecific("7", FIRST_TIME - MINUTE))
    fanned_out = fan_out("t", {IN: StartpointOldest(FIRST_TIME)})
    events = [*READS, startpoint(IN, nowhere), older, fanned_out]
    name = f"nowhere-{nowhere.kind}"
    steps = explained(ImportedJob(database, name, coordinator=events, checkpoints=[checkpoint_v1("t", {IN: "41"})]))
    assert winner(steps) == ("checkpoint", "after 41 (version 1)", "checkpoint", ("checkpoint", 0))
    assert losers(steps) == [
        ("startpoint", nowhere.kind, "no place", ("coordinator", 2)),
        ("startpoint", "specific 7", "older", ("coordinator", 3)),
        ("startpoint", "oldest", "replaced", ("coordinator", 4)),
    ]
    assert reason(steps, "older") == "older: created 1 minute before the one at offset 2"


def test_a_request_for_every_task_that_is_older_than_the_tasks_own(database: Connection) -> None:
    requests = [
        startpoint(f"{IN}.t", StartpointSpecific("8", FIRST_TIME + 10 * MINUTE)),
        startpoint(IN, StartpointSpecific("7", FIRST_TIME)),
        startpoint(f"{IN}.u", StartpointSpecific("9", FIRST_TIME + 20 * MINUTE)),
    ]
    steps = explained(ImportedJob(database, "older", coordinator=[*READS, *requests]))
    assert winner(steps) == ("startpoint", "specific 8", "requested", ("coordinator", 2))
    assert losers(steps) == [("startpoint", "specific 7", "older", ("coordinator", 3))]
    assert reason(steps, "older") == "older: created 10 minutes before the one at offset 2"


def test_a_tie_goes_to_the_tasks_own(database: Connection) -> None:
    requests = [
        startpoint(f"{IN}.t", StartpointSpecific("8", FIRST_TIME)),
        startpoint(IN, StartpointSpecific("7", FIRST_TIME)),
    ]
    steps = explained(ImportedJob(database, "tie", coordinator=[*READS, *requests]))
    assert winner(steps) == ("startpoint", "specific 8", "requested", ("coordinator", 2))
    assert losers(steps) == [("startpoint", "specific 7", "task's own", ("coordinator", 3))]
    assert "at offset 2, which is for this task alone" in reason(steps, "task's own")


def test_an_ambiguous_key_is_not_fanned_out(database: Connection) -> None:
    events = [
        task_partition("k.s.1", "2"),
        task_partition("k.s.1.2", "2"),  # partition 2 of `s.1`
        startpoint("k.s.1.2", StartpointOldest(FIRST_TIME)),
    ]
    job = ImportedJob(database, "ambiguous", coordinator=events)
    for partition in ("k.s.1", "k.s.1.2"):
        steps = [step for step in explained(job, "2") if step.partition == partition]
        assert winner(steps) == ("default", "upcoming", "default", NO_EVENT)
        assert losers(steps) == [("startpoint", "oldest", "ambiguous", ("coordinator", 2))]


def test_a_fan_out_that_is_not_used_up_counts_and_never_expires(database: Connection) -> None:
    fanned_out = fan_out("t", {IN: StartpointTimestamp(5, FIRST_TIME)})
    job = ImportedJob(
        database, "pending", coordinator=[*READS, fanned_out], checkpoints=[checkpoint_v1("t", {IN: "41"})]
    )
    steps = explained(job)
    assert winner(steps) == ("startpoint", "timestamp 5", "fanned out", ("coordinator", 2))
    assert losers(steps) == [("checkpoint", "after 41 (version 1)", "startpoint", ("checkpoint", 0))]
    assert explained(job, at_ms=FIRST_TIME + 2 * EXPIRY_MS) == steps


def test_a_new_fan_out_replaces_the_tasks_old_one(database: Connection) -> None:
    events = [
        config_set("task.inputs", "kafka.in"),
        task_partition(IN, "t"),
        task_partition("kafka.in.1", "t"),
        fan_out("t", {IN: StartpointOldest(FIRST_TIME)}),
        startpoint("kafka.in.1", StartpointSpecific("7", FIRST_TIME)),
    ]
    steps = explained(ImportedJob(database, "replaced", coordinator=events))
    left = [step for step in steps if step.partition == IN]
    assert winner(left) == ("default", "upcoming", "default", NO_EVENT)
    assert losers(left) == [("startpoint", "oldest", "replaced", ("coordinator", 3))]
    assert reason(left, "replaced").endswith("because of the request at offset 4")


BOTH_VERSIONS: Final = (checkpoint_v1("t", {IN: "41"}), checkpoint_v2("t", {IN: "42"}))


@pytest.mark.parametrize(
    ("setting", "won", "lost", "because"),
    [
        (None, ("1", "41", 0), ("2", "42", 1), "task.checkpoint.read.versions is not set, so only version 1 is read"),
        ("1", ("1", "41", 0), ("2", "42", 1), "task.checkpoint.read.versions is 1 (coordinator offset 2)"),
        ("2", ("2", "42", 1), ("1", "41", 0), "task.checkpoint.read.versions is 2 (coordinator offset 2)"),
    ],
)
def test_a_version_by_setting(
    database: Connection, setting: str | None, won: tuple[str, str, int], lost: tuple[str, str, int], because: str
) -> None:
    settings = [] if setting is None else [config_set("task.checkpoint.read.versions", setting)]
    job = ImportedJob(database, f"by-setting-{setting}", coordinator=[*READS, *settings], checkpoints=BOTH_VERSIONS)
    steps = explained(job)
    version, offset, at = won
    assert winner(steps) == ("checkpoint", f"after {offset} (version {version})", "checkpoint", ("checkpoint", at))
    version, offset, at = lost
    expected = ("checkpoint", f"after {offset} (version {version})", "version not read", ("checkpoint", at))
    assert losers(steps) == [expected]
    assert reason(steps, "version not read") == f"version not read: {because}"


def versions_apart(database: Connection, minutes: int) -> list[Tried]:
    """The steps of a job that reads V2, then V1, where V1 was written so much later."""
    checkpoints = [
        checkpoint_v2("t", {IN: "41"}, at=FIRST_TIME),
        checkpoint_v1("t", {IN: "50"}, at=FIRST_TIME + minutes * MINUTE),
    ]
    versions = config_set("task.checkpoint.read.versions", "2,1")
    job = ImportedJob(database, f"apart-{minutes}", coordinator=[*READS, versions], checkpoints=checkpoints)
    return explained(job)


def test_version_2_that_is_stale_by_eleven_minutes(database: Connection) -> None:
    steps = versions_apart(database, 11)
    assert winner(steps) == ("checkpoint", "after 50 (version 1)", "checkpoint", ("checkpoint", 1))
    assert losers(steps) == [("checkpoint", "after 41 (version 2)", "stale version", ("checkpoint", 0))]
    assert (
        reason(steps, "stale version")
        == "stale version: version 1 at offset 1 is newer by 11 minutes, more than 10 minutes"
    )


def test_version_1_that_is_not_newer_by_enough(database: Connection) -> None:
    steps = versions_apart(database, 10)
    assert winner(steps) == ("checkpoint", "after 41 (version 2)", "checkpoint", ("checkpoint", 0))
    assert losers(steps) == [("checkpoint", "after 50 (version 1)", "lower priority", ("checkpoint", 1))]
    assert reason(steps, "lower priority").endswith("newer by only 10 minutes")


def test_a_checkpoint_of_another_grouper_is_not_read(database: Connection) -> None:
    checkpoints = [checkpoint_v1("t", {IN: "41"}), checkpoint_v1("t", {IN: "9"}, grouper="other.Grouper")]
    steps = explained(ImportedJob(database, "grouper", coordinator=READS, checkpoints=checkpoints))
    assert winner(steps) == ("checkpoint", "after 41 (version 1)", "checkpoint", ("checkpoint", 0))
    assert losers(steps) == [("checkpoint", "after 9 (version 1)", "other grouper", ("checkpoint", 1))]
    assert reason(steps, "other grouper").startswith("other grouper: written by other.Grouper, ")


STREAM: Final = "systems.kafka.streams.in.samza"
ALL_STREAMS: Final = "systems.kafka.default.stream.samza"


def test_a_reset_leaves_the_checkpoint_aside(database: Connection) -> None:
    events = [*READS, config_set(f"{STREAM}.reset.offset", "true"), config_set(f"{STREAM}.offset.default", "Oldest")]
    steps = explained(ImportedJob(database, "reset", coordinator=events, checkpoints=[checkpoint_v1("t", {IN: "41"})]))
    assert winner(steps) == ("reset", "oldest", "reset", ("coordinator", 2))
    assert losers(steps) == [("checkpoint", "after 41 (version 1)", "reset", ("checkpoint", 0))]


DEFAULTS: Final = (f"{STREAM}.offset.default", f"{ALL_STREAMS}.offset.default", "systems.kafka.samza.offset.default")


@pytest.mark.parametrize("first", range(len(DEFAULTS) + 1))
def test_a_default_by_stream_by_system_or_by_none(database: Connection, first: int) -> None:
    settings = [config_set(key, "oldest") for key in DEFAULTS[first:]]
    steps = explained(ImportedJob(database, f"default-{first}", coordinator=[*READS, *settings]))
    event: Event = ("coordinator", 2) if settings else NO_EVENT
    assert winner(steps) == ("default", "oldest" if settings else "upcoming", "default", event)
    lower = [("coordinator", 2 + n) for n in range(1, len(settings))]
    assert [step.event for step in steps if step.code == "other setting"] == lower
    absent = [(step.rule, step.code, step.event) for step in steps if step.outcome == "absent"]
    assert absent == [(rule, "none", NO_EVENT) for rule in ("startpoint", "reset", "checkpoint")]


def test_a_removed_input_is_shown_with_its_remains(database: Connection) -> None:
    events = [
        *READS,
        task_partition("kafka.rules.0", "t"),
        startpoint("kafka.rules.0", StartpointOldest(FIRST_TIME)),
        config_set("task.inputs", "kafka.in"),
    ]
    checkpoints = [checkpoint_v1("t", {IN: "41", "kafka.rules.0": "2"})]
    steps = explained(ImportedJob(database, "dropped", coordinator=events, checkpoints=checkpoints))
    assert [(*step[1:4], step.code, step.event) for step in steps if step.partition == "kafka.rules.0"] == [
        ("input", None, "absent", "dropped input", ("coordinator", 4)),
        ("startpoint", "oldest", "loses", "dropped input", ("coordinator", 3)),
        ("checkpoint", "after 2 (version 1)", "loses", "dropped input", ("checkpoint", 0)),
    ]
    assert winner([step for step in steps if step.partition == IN])[0] == "checkpoint"


def test_what_a_checkpoint_lacks_is_absent(database: Connection) -> None:
    deleted = checkpoint_v1("t", {IN: "41"})
    lacking = checkpoint_v2("t", {"kafka.in.1": "5"})
    checkpoints: list[NewEvent] = [deleted, lacking, tombstone(deleted)]
    versions = config_set("task.checkpoint.read.versions", "2,1")
    steps = explained(ImportedJob(database, "lacking", coordinator=[*READS, versions], checkpoints=checkpoints))
    assert winner(steps)[0] == "default"
    tried = [(step.candidate, step.outcome, step.code, step.event) for step in steps if step.rule == "checkpoint"]
    assert tried == [
        (None, "absent", "no offset", ("checkpoint", 1)),
        (None, "absent", "deleted", ("checkpoint", 2)),
    ]


def test_a_checkpoint_in_the_place_that_is_not_read(database: Connection) -> None:
    written = set_checkpoint("t", {IN: "7"})
    alone = explained(ImportedJob(database, "one-place", coordinator=[*READS, written]))
    assert winner(alone) == ("checkpoint", "after 7 (set-checkpoint)", "checkpoint", ("coordinator", 2))
    topic = [checkpoint_v1("t", {IN: "41"})]
    steps = explained(ImportedJob(database, "two-places", coordinator=[*READS, written], checkpoints=topic))
    assert winner(steps) == ("checkpoint", "after 41 (version 1)", "checkpoint", ("checkpoint", 0))
    assert losers(steps) == [("checkpoint", "after 7 (set-checkpoint)", "other place", ("coordinator", 2))]


def test_an_event_shows_its_writer_if_known(database: Connection) -> None:
    written = [set_checkpoint("t", {IN: "7"}), startpoint(IN, StartpointOldest(FIRST_TIME))]
    job = ImportedJob(database, "who", coordinator=[*READS, *written])
    query = (
        "select rule, source, host, username, message_time, record_time, stream_kind, incarnation, log_offset"
        " from coordinator.explain('who', '1', 't', %s) where log_offset is not null"
    )
    assert job.connection.execute(query.encode(), (to_time(SOON),)).fetchall() == [
        ("startpoint", None, None, None, None, to_time(FIRST_TIME + 3), "coordinator", 1, 3),
        (
            *("checkpoint", "SamzaContainer-0", "host-1", "samza", to_time(FIRST_TIME), to_time(FIRST_TIME + 2)),
            *("coordinator", 1, 2),
        ),
    ]


def test_steps_count_from_one_in_each_partition(database: Connection) -> None:
    job = ImportedJob(database, "steps", coordinator=[*READS, task_partition("kafka.in.1", "t")])
    rows = job.connection.execute(b"select partition_id, step, rule from coordinator.explain('steps', '1', 't', null)")
    rules = ("startpoint", "reset", "checkpoint", "default")
    assert rows.fetchall() == [(partition, n, rule) for partition in (0, 1) for n, rule in enumerate(rules, 1)]


@pytest.mark.parametrize("at_ms", [None, SOON, FIRST_TIME - 1])
def test_a_task_that_is_not_there_has_no_rows(database: Connection, at_ms: int | None) -> None:
    name = f"unknown-{at_ms}"
    job = ImportedJob(database, name, coordinator=READS, checkpoints=[checkpoint_v1("u", {IN: "41"})])
    assert explained(job, "u", at_ms) == []
    query = "select * from coordinator.explain(%s, '1', null, timestamptz 'epoch' + %s * interval '1 ms')"
    assert database.execute(query, (name, at_ms)).fetchall() == []
    assert (explained(job, "t", at_ms) == []) is (at_ms == FIRST_TIME - 1)
