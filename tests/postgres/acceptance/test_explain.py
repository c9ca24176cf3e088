"""`coordinator.explain` names the event that decides where a task starts, and says why each other one lost."""

from typing import Final, NamedTuple

import pytest

from eventlog.events import NewEvent
from eventlog.postgres.connection import Connection
from eventlog.startpoint import StartpointOldest
from tests.builders import (
    FIRST_TIME,
    checkpoint_v1,
    checkpoint_v2,
    config_set,
    set_checkpoint,
    startpoint,
    task_mode,
    task_partition,
    tombstone,
)
from tests.fixtures.acceptance.imported_job import ImportedJob
from tests.oracle import to_time

pytestmark = pytest.mark.slow

MINUTE: Final = 60_000
SOON: Final = FIRST_TIME + 30 * MINUTE
IN: Final = "kafka.in.0"
READS: Final = (config_set("task.inputs", "kafka.in"), task_partition(IN, "t"))
"""What the coordinator stream of most cases begins with, at offsets 0 and 1."""
NO_EVENT: Final = (None, None)

Event = tuple[str | None, int | None]
Step = tuple[str, str | None, str, Event]
"""Rule, candidate, code and event."""


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


def winner(steps: list[Tried]) -> Step:
    """The one that wins."""
    (won,) = [(step.rule, step.candidate, step.code, step.event) for step in steps if step.outcome == "wins"]
    return won


AFTER_41: Final = [checkpoint_v1("t", {IN: "41"})]
DEFAULTS: Final = (
    "systems.kafka.streams.in.samza.offset.default",
    "systems.kafka.default.stream.samza.offset.default",
    "systems.kafka.samza.offset.default",
)


def test_defaults_that_others_go_before_lose(database: Connection) -> None:
    settings = [config_set(key, "oldest") for key in DEFAULTS]
    steps = explained(ImportedJob(database, "defaults", coordinator=[*READS, *settings]))
    assert winner(steps) == ("default", "oldest", "default", ("coordinator", 2))
    lower = [step.event for step in steps if step.code == "other setting"]
    assert lower == [("coordinator", 3), ("coordinator", 4)]
    absent = [(step.rule, step.code, step.event) for step in steps if step.outcome == "absent"]
    assert absent == [(rule, "none", NO_EVENT) for rule in ("startpoint", "reset", "checkpoint")]


def test_without_assignments_an_input_is_told_as_absent(database: Connection) -> None:
    steps = explained(ImportedJob(database, "unassigned", checkpoints=AFTER_41))
    assert [(step.rule, step.candidate, step.outcome) for step in steps] == [
        ("input", None, "absent"),
        ("startpoint", None, "absent"),
        ("reset", None, "absent"),
        ("checkpoint", "after 41 (version 1)", "wins"),
        ("default", "upcoming", "loses"),
    ]


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
    reads = [*READS, task_mode("standby", "Standby"), task_partition("kafka.in.1", "standby")]
    job = ImportedJob(database, name, coordinator=reads, checkpoints=[checkpoint_v1("u", {IN: "41"})])
    assert explained(job, "u", at_ms) == explained(job, "standby", at_ms) == []
    query = "select * from coordinator.explain(%s, '1', null, timestamptz 'epoch' + %s * interval '1 ms')"
    assert database.execute(query, (name, at_ms)).fetchall() == []
    assert (explained(job, "t", at_ms) == []) is (at_ms == FIRST_TIME - 1)
