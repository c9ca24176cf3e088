"""What looks wrong in a job's logs, a built case a kind, and what only looks like it."""

from collections.abc import Iterable, Sequence
from typing import Final

import pytest

from eventlog.events import NewEvent
from eventlog.partition import SystemStreamPartition
from eventlog.postgres.connection import Connection
from eventlog.startpoint import StartpointOldest, StartpointSpecific, StartpointUpcoming
from eventlog.state_markers import KAFKA_STATE_BACKEND_FACTORY, KafkaStateCheckpointMarker
from tests.acceptance import samza_answers as samza
from tests.acceptance.imported_job import ImportedJob, Row
from tests.builders import (
    FIRST_TIME,
    changelog_set,
    checkpoint_v1,
    checkpoint_v2,
    config_deleted,
    config_set,
    fan_out,
    recorded,
    set_checkpoint,
    tombstone,
)

pytestmark = pytest.mark.slow

MINUTE: Final = 60_000
BACK: Final = StartpointSpecific("7", FIRST_TIME)
RESET: Final = "systems.kafka.streams.in.samza.reset.offset"
IN_HAS_AN_ID: Final = [
    config_set("streams.id.samza.system", "kafka"),
    config_set("streams.id.samza.physical.name", "in"),
]
READ_VERSIONS: Final = "task.checkpoint.read.versions"
_SHOWN: Final = "stream_kind, log_offset, anomaly, subject"


def v1(offset: str | None, *, at: int = 0, partition: str = "kafka.in.0", task: str = "t") -> NewEvent:
    return checkpoint_v1(task, {partition: offset}, at=FIRST_TIME + at * MINUTE)


def v2(offset: str, *, at: int = 0) -> NewEvent:
    return checkpoint_v2("t", {"kafka.in.0": offset}, at=FIRST_TIME + at * MINUTE)


def job_of(
    database: Connection, name: str, *, coordinator: Sequence[NewEvent] = (), checkpoints: Iterable[NewEvent] = ()
) -> ImportedJob:
    """A job whose coordinator stream has an event each minute."""
    job = ImportedJob(database, f"anomaly-{name}")
    if coordinator:
        job.import_recorded(job.coordinator_stream, recorded(coordinator, step=MINUTE))
    topic = recorded(checkpoints)
    if topic:
        job.import_recorded(job.checkpoint_stream, topic)
    return job


def shown(job: ImportedJob) -> list[Row]:
    return job.rows("anomaly", _SHOWN)


def detail(job: ImportedJob) -> str:
    ((text,),) = job.rows("anomaly", "detail")
    assert text.endswith(".")
    return str(text)


def test_a_real_job_that_was_rewound_by_startpoints_has_no_anomaly(database: Connection) -> None:
    job = ImportedJob(database, "wordcount_pv")
    job.import_recorded(job.coordinator_stream, samza.recorded_stream("coordinator"))
    job.import_recorded(job.checkpoint_stream, samza.recorded_stream("checkpoint"))
    assert shown(job) == []


def test_a_checkpoint_that_moved_back(database: Connection) -> None:
    job = job_of(database, "back", checkpoints=[v1("41"), v1("9", at=1), v1("10", at=2)])
    assert shown(job) == [("checkpoint", 1, "checkpoint_moved_back", "kafka.in.0")]
    assert detail(job).startswith("The checkpoint of task t went back from 41 (log offset 0) to 9, and neither")


def test_each_partition_that_moved_back_whatever_the_order_of_names(database: Connection) -> None:
    checkpoints = [
        checkpoint_v1("t", {"kafka.in.0": "41", "kafka.in.1": "100", "kafka.in.2": "5"}),
        checkpoint_v1("t", {"kafka.in.2": "6", "kafka.in.1": "99", "kafka.in.0": "9"}),
        checkpoint_v1("t", {"kafka.in.2": "7", "kafka.in.1": "98", "kafka.in.0": "9"}),
    ]
    job = job_of(database, "partitions", checkpoints=checkpoints)
    assert [(row[1], row[3]) for row in shown(job)] == [(1, "kafka.in.0"), (1, "kafka.in.1"), (2, "kafka.in.1")]


def test_a_checkpoint_of_the_coordinator_stream_that_moved_back(database: Connection) -> None:
    events = [set_checkpoint("t", {"kafka.in.0": offset}) for offset in ("41", "9")]
    job = job_of(database, "seed-000", coordinator=events)
    assert shown(job) == [("coordinator", 1, "checkpoint_moved_back", "kafka.in.0")]


@pytest.mark.parametrize(
    ("name", "checkpoints"),
    [
        ("pairs", [v1("40"), v2("40"), v1("41"), v2("41")]),
        ("equal", [v1("41"), v1("41"), v1("41")]),
        ("dropped", [v1("41"), v1("7", partition="kafka.in.1"), v1("9")]),
        ("deleted", [v1("41"), tombstone(v1("41")), v1("9")]),
        ("no-offset", [v1("41"), v1(None), v1("42")]),
        ("digits", [v1("9"), v1("10"), v1("100")]),
        ("no-number", [v1("b"), v1("a")]),
        ("other-task", [v1("41"), v1("9", task="u")]),
        ("unread-version", [v1("41"), v2("41"), v2("9")]),
    ],
)
def test_what_did_not_move_back(database: Connection, name: str, checkpoints: list[NewEvent]) -> None:
    assert shown(job_of(database, f"near-{name}", checkpoints=checkpoints)) == []


@pytest.mark.parametrize(
    ("name", "changelog", "systems"),
    [
        ("whole", "kafka.log", {"job.changelog.system": "other"}),
        ("of-changelogs", "log", {"job.changelog.system": "kafka", "job.default.system": "other"}),
        ("by-default", "log", {"job.default.system": "kafka"}),
    ],
)
def test_a_changelog_offset_is_not_an_input(
    database: Connection, name: str, changelog: str, systems: dict[str, str]
) -> None:
    coordinator = [config_set("stores.s.changelog", changelog), *(config_set(*item) for item in systems.items())]
    checkpoints = [v1("41", partition="kafka.log.0"), v1("9", partition="kafka.log.0")]
    assert shown(job_of(database, f"near-changelog-{name}", coordinator=coordinator, checkpoints=checkpoints)) == []


def test_a_rewind_by_a_startpoint_or_by_reset_was_asked_for(database: Connection) -> None:
    checkpoints = [v1("41"), v2("41"), v1("9", at=3), v2("9", at=3)]
    fanned_out = [
        config_set(READ_VERSIONS, "1,2"),
        fan_out("t", {"kafka.in.0": BACK}, timestamp=FIRST_TIME + MINUTE),
        config_set(),
        tombstone(fan_out("t", {})),
    ]
    assert shown(job_of(database, "asked", coordinator=fanned_out, checkpoints=checkpoints)) == []
    reset = [config_set(RESET, "true")]
    assert shown(job_of(database, "reset", coordinator=reset, checkpoints=checkpoints)) == []
    by_id = [*IN_HAS_AN_ID, config_set("streams.id.samza.reset.offset", "true")]
    assert shown(job_of(database, "reset-by-id", coordinator=by_id, checkpoints=checkpoints)) == []


@pytest.mark.parametrize(
    ("name", "coordinator"),
    [
        ("other-task", [fan_out("u", {"kafka.in.0": BACK})]),
        ("other-partition", [fan_out("t", {"kafka.in.1": BACK})]),
        ("too-late", [*[config_set()] * 5, fan_out("t", {"kafka.in.0": BACK})]),
        ("long-gone", [fan_out("t", {"kafka.in.0": BACK}), tombstone(fan_out("t", {}))]),
        ("no-reset", [config_set(RESET, "false")]),
        ("reset-before", [config_set(RESET, "true"), config_deleted(RESET)]),
        ("reset-of-other-id", [*IN_HAS_AN_ID, config_set("streams.in.samza.reset.offset", "true")]),
        ("other-reset", [config_set(RESET.replace(".in.", ".out."), "true")]),
    ],
)
def test_what_asked_for_another_rewind(database: Connection, name: str, coordinator: list[NewEvent]) -> None:
    checkpoints = [v1("41", at=2), v1("9", at=3)]
    job = job_of(database, f"unasked-{name}", coordinator=coordinator, checkpoints=checkpoints)
    assert ("checkpoint", 1, "checkpoint_moved_back", "kafka.in.0") in shown(job)


def test_a_task_whose_changelog_partition_changed(database: Connection) -> None:
    job = job_of(database, "remap", coordinator=[changelog_set("t", 3), config_set(), changelog_set("t", 4)])
    assert shown(job) == [("coordinator", 2, "changelog_remapped", "t")]
    assert detail(job).startswith("The changelog partition of task t changed from 3 (log offset 0) to 4: ")


def test_a_changelog_partition_that_another_task_had_before(database: Connection) -> None:
    events = [changelog_set("t", 3), tombstone(changelog_set("t", 3)), changelog_set("u", 3)]
    job = job_of(database, "given", coordinator=events)
    assert shown(job) == [("coordinator", 2, "changelog_remapped", "u")]
    assert detail(job).startswith(
        "Task u was assigned changelog partition 3, which was that of task t (log offset 0): "
    )


def test_two_tasks_on_one_changelog_partition(database: Connection) -> None:
    events = [changelog_set("t", 3), changelog_set("u", 4), changelog_set("v", 3)]
    job = job_of(database, "shared", coordinator=events)
    assert shown(job) == [("coordinator", 2, "changelog_shared", "3")]
    assert detail(job).startswith(
        "Changelog partition 3 was assigned to task v, but is also that of task t (log offset 0)"
    )


def test_tasks_that_swap_partitions_in_one_start_do_not_share_them(database: Connection) -> None:
    swapped = [changelog_set("t", 0), changelog_set("u", 1), changelog_set("t", 1), changelog_set("u", 0)]
    job = ImportedJob(database, "anomaly-swap", coordinator=swapped)
    assert shown(job) == [("coordinator", 2, "changelog_remapped", "t"), ("coordinator", 3, "changelog_remapped", "u")]


@pytest.mark.parametrize(
    ("name", "events"),
    [
        ("again", [changelog_set("t", 3), changelog_set("u", 4), changelog_set("t", 3), changelog_set("u", 4)]),
        ("deleted", [changelog_set("t", 3), tombstone(changelog_set("t", 3)), changelog_set("t", 3)]),
        ("new", [changelog_set("t", 0), changelog_set("u", 1), changelog_set("v", 2)]),
    ],
)
def test_a_mapping_that_did_not_change(database: Connection, name: str, events: list[NewEvent]) -> None:
    assert shown(job_of(database, f"near-map-{name}", coordinator=events)) == []


def test_a_refused_startpoint(database: Connection) -> None:
    coordinator = [config_set(), fan_out("t", {"kafka.in.0": BACK}, timestamp=FIRST_TIME + MINUTE), config_set()]
    coordinator += [tombstone(fan_out("t", {}))]
    job = job_of(database, "refused", coordinator=coordinator, checkpoints=[v1("41"), v1("42", at=2), v1("43", at=4)])
    assert shown(job) == [("coordinator", 3, "startpoint_ignored", "kafka.in.0")]
    assert "Startpoint specific 7 was fanned out to task t, but" in detail(job)
    assert "from 41 (log offset 0) to 42 (log offset 1)" in detail(job)


def test_a_startpoint_that_its_task_never_consumed(database: Connection) -> None:
    coordinator = [config_set(), fan_out("t", {"kafka.in.0": StartpointOldest(FIRST_TIME)})]
    checkpoints = [v1("41"), v1("41", at=2), v1("42", at=3), v1("42", at=4), v1("50", at=5)]
    job = job_of(database, "ignored", coordinator=coordinator, checkpoints=checkpoints)
    assert shown(job) == [("checkpoint", 3, "startpoint_ignored", "kafka.in.0")]
    assert "Startpoint oldest was fanned out to task t (log offset 1)" in detail(job)
    assert "from 41 to 42 (log offset 2)" in detail(job)


def test_an_ignored_startpoint_of_a_job_with_checkpoints_on_its_coordinator_stream(database: Connection) -> None:
    events = [set_checkpoint("t", {"kafka.in.0": offset}) for offset in ("41", "42", "43")]
    job = job_of(database, "ignored-000", coordinator=[events[0], fan_out("t", {"kafka.in.0": BACK}), *events[1:]])
    assert shown(job) == [("coordinator", 3, "startpoint_ignored", "kafka.in.0")]


@pytest.mark.parametrize(
    ("name", "after", "checkpoints"),
    [
        ("quiet", [], [v1("41"), v1("41", at=2), v1("41", at=3)]),
        ("under-way", [], [v1("41"), v1("41", at=2), v1("42", at=3)]),
        ("taken", [tombstone(fan_out("t", {}))], [v1("41"), v1("9", at=1), v1("42", at=3), v1("43", at=4)]),
        (
            "late",
            [*[config_set()] * 6, tombstone(fan_out("t", {}))],
            [v1("41"), v1("42", at=2), v1("43", at=3), v1("9", at=6)],
        ),
    ],
)
def test_a_startpoint_that_is_or_may_be_consumed(
    database: Connection, name: str, after: list[NewEvent], checkpoints: list[NewEvent]
) -> None:
    job = job_of(
        database, f"near-{name}", coordinator=[fan_out("t", {"kafka.in.0": BACK}), *after], checkpoints=checkpoints
    )
    assert shown(job) == []


def test_upcoming_continues_from_the_old_position(database: Connection) -> None:
    fanned_out = fan_out("t", {"kafka.in.0": StartpointUpcoming(FIRST_TIME)})
    job = job_of(
        database,
        "upcoming",
        coordinator=[fanned_out, config_set(), tombstone(fanned_out)],
        checkpoints=[v1("41"), v1("42", at=1), v1("43", at=3)],
    )
    assert shown(job) == []


def test_two_job_names_on_one_topic(database: Connection) -> None:
    events = [config_set("job.name", "anomaly_names"), config_set("job.name", "anomaly-names")]
    job = job_of(database, "names", coordinator=events)
    assert shown(job) == [("coordinator", 1, "two_job_names", "job.name")]
    assert "was anomaly_names (log offset 0) and is now anomaly-names" in detail(job)


def test_a_job_name_that_every_deployment_writes_again(database: Connection) -> None:
    name = config_set("job.name", "anomaly-same")
    job = job_of(
        database, "same", coordinator=[name, config_set("job.id", "1"), name, config_deleted("job.name"), name]
    )
    assert shown(job) == []


def test_a_job_that_writes_an_older_version_again(database: Connection) -> None:
    checkpoints = [v1("40"), v2("40"), v1("41", at=1), v1("42", at=10), v1("43", at=11), v1("44", at=12)]
    job = job_of(database, "rollback", coordinator=[config_set(READ_VERSIONS, "2,1")], checkpoints=checkpoints)
    assert shown(job) == [("checkpoint", 4, "checkpoint_version_rollback", "t")]
    database.execute("set local intervalstyle = 'iso_8601'")  # as a reader's session may have
    assert "older by more than 10 minutes (log offset 1)" in detail(job)


def test_a_job_that_writes_only_what_it_does_not_read(database: Connection) -> None:
    job = job_of(database, "unread", checkpoints=[v1("40"), v2("40"), v2("41", at=9), v2("42", at=11), v2("43", at=30)])
    assert shown(job) == [("checkpoint", 3, "checkpoint_version_rollback", "t")]
    assert "the job does not read" in detail(job)


def test_versions_to_read_that_lead_further_back(database: Connection) -> None:
    coordinator = [config_set(), config_set(READ_VERSIONS, "2"), config_set(READ_VERSIONS, "2")]
    job = job_of(database, "versions", coordinator=coordinator, checkpoints=[v2("30"), v1("40")])
    assert shown(job) == [("coordinator", 1, "checkpoint_version_rollback", "t")]
    assert "reads again from 30 in kafka.in.0 instead of 40" in detail(job)


@pytest.mark.parametrize(
    ("name", "values", "checkpoints"),
    [
        ("pairs", ["2,1"], [v1("40"), v2("40"), v1("41"), v2("41")]),
        ("forward", ["2"], [v1("40"), v2("50")]),
        ("again", ["1", "1"], [v2("30"), v1("40")]),
        ("alone", ["2"], [v1("40")]),
    ],
)
def test_versions_to_read_that_lead_nowhere_else(
    database: Connection, name: str, values: list[str], checkpoints: list[NewEvent]
) -> None:
    coordinator = [config_set(), *(config_set(READ_VERSIONS, value) for value in values)]
    assert shown(job_of(database, f"near-versions-{name}", coordinator=coordinator, checkpoints=checkpoints)) == []


def test_no_secret_is_in_a_detail(database: Connection) -> None:
    secret = "postgres://u:hunter2@db/x"
    events = [
        config_set("job.name", "anomaly-secret"),
        config_set("job.name", secret),
        config_set("job.name", "anomaly-secret"),
    ]
    job = job_of(database, "secret", coordinator=events)
    rows = job.rows("anomaly", "detail")
    assert len(rows) == 2
    assert "hunter2" not in repr(rows)


def with_state(offset: str, state: str, blob: str | None = None, *, at: int = 0) -> NewEvent:
    """A commit with the changelog's offset of the store `counts`, and a marker of it in another backend."""
    marker = KafkaStateCheckpointMarker(SystemStreamPartition("kafka", "counts-changelog", 3), state).serialise()
    markers = {KAFKA_STATE_BACKEND_FACTORY: {"counts": marker}}
    if blob is not None:
        markers["com.example.Blobs"] = {"counts": blob}
    return checkpoint_v2("t", {"kafka.in.0": offset}, markers=markers, at=FIRST_TIME + at * MINUTE)


READ_V2: Final = config_set(READ_VERSIONS, "2")


def test_state_behind_its_inputs(database: Connection) -> None:
    """In the same batch and size as the commit before, and in another size."""
    states = ["15", "12", "14", "9", "10"]
    checkpoints = [with_state(str(10 + at), state, at=at) for at, state in enumerate(states)]
    job = job_of(database, "behind", coordinator=[READ_V2], checkpoints=checkpoints)
    assert shown(job) == [("checkpoint", at, "state_markers_disagree", "t") for at in (1, 3)]
    (first, second) = [text for (text,) in job.rows("anomaly", "detail")]
    assert first.startswith(
        "The state of task t, store counts, went back from offset 14 (log offset 2) to 9 of changelog "
        "kafka.counts-changelog.3, but no input did: "
    )
    assert "went back from offset 15 (log offset 0) to 12" in second


def test_state_that_went_back_with_its_inputs_is_no_disagreement(database: Connection) -> None:
    checkpoints = [with_state("20", "15"), with_state("10", "12", at=1)]
    job = job_of(database, "together", coordinator=[READ_V2, *_rewound()], checkpoints=checkpoints)
    assert [row for row in shown(job) if row[2] == "state_markers_disagree"] == []


def _rewound() -> list[NewEvent]:
    return [config_set(RESET, "true")]


def test_a_backend_that_no_longer_follows_the_changelog(database: Connection) -> None:
    commits = [("5", "a"), ("6", "b"), ("6", "b"), ("7", "b"), ("8", "b"), ("8", "b")]
    checkpoints = [with_state(str(at), state, blob, at=at) for at, (state, blob) in enumerate(commits)]
    job = job_of(database, "backends", coordinator=[READ_V2], checkpoints=checkpoints)
    assert shown(job) == [("checkpoint", 4, "state_markers_disagree", "t")]
    assert detail(job).startswith(
        "The state of task t, store counts, is at offset 8 of changelog kafka.counts-changelog.3, but its marker of "
        "com.example.Blobs has not changed since log offset 1: "
    )


@pytest.mark.parametrize("last", [("6", "b"), ("5", "b"), ("5", "a")])
def test_backends_that_follow_each_other_agree(database: Connection, last: tuple[str, str]) -> None:
    """A snapshot may change without a change of the state, as after a compaction of its files."""
    checkpoints = [with_state("1", "5", "a"), with_state("2", *last, at=1)]
    job = job_of(database, f"agree-{'-'.join(last)}", coordinator=[READ_V2], checkpoints=checkpoints)
    assert shown(job) == []
