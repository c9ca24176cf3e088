"""What looks wrong in a job's logs, a built case a kind, and what only looks like it."""

from collections.abc import Iterable, Sequence
from typing import Final

import pytest

from eventlog.events import NewEvent
from eventlog.messages import SetConfig
from eventlog.partition import SystemStreamPartition
from eventlog.postgres.connection import Connection
from eventlog.startpoint import StartpointOldest, StartpointSpecific, StartpointUpcoming
from eventlog.state_markers import KAFKA_STATE_BACKEND_FACTORY, KafkaStateCheckpointMarker
from managers.config.job_config import DEFAULTS
from tests.builders import (
    FIRST_TIME,
    changelog_set,
    checkpoint_v1,
    checkpoint_v2,
    config_deleted,
    config_set,
    fan_out,
    message,
    recorded,
    set_checkpoint,
    task_mode,
    task_partition,
    tombstone,
)
from tests.fixtures.acceptance.imported_job import SETTINGS, ImportedJob, Row
from tests.fixtures.acceptance.odd_jobs import import_recording_a

pytestmark = pytest.mark.slow

MINUTE: Final = 60_000
IN: Final = "kafka.in.0"
BACK: Final = StartpointSpecific("7", FIRST_TIME)
TO_T: Final = fan_out("t", {IN: BACK})
GONE: Final = tombstone(fan_out("t", {}))
OTHER: Final = config_set()
RESET: Final = "systems.kafka.streams.in.samza.reset.offset"
IN_HAS_AN_ID: Final = [
    config_set("streams.id.samza.system", "kafka"),
    config_set("streams.id.samza.physical.name", "in"),
]
READ_VERSIONS: Final = "task.checkpoint.read.versions"
READ_V2: Final = config_set(READ_VERSIONS, "2")

Events = list[NewEvent]


def v1(offset: str | None, *, at: int = 0, partition: str = IN, task: str = "t") -> NewEvent:
    return checkpoint_v1(task, {partition: offset}, at=FIRST_TIME + at * MINUTE)


def v2(offset: str, *, at: int = 0) -> NewEvent:
    return checkpoint_v2("t", {IN: offset}, at=FIRST_TIME + at * MINUTE)


def with_state(offset: str, state: str, blob: str | None = None, *, at: int = 0) -> NewEvent:
    """A commit with the changelog's offset of the store `counts`, and a marker of it in another backend."""
    marker = KafkaStateCheckpointMarker(SystemStreamPartition("kafka", "counts-changelog", 3), state).serialise()
    markers = {KAFKA_STATE_BACKEND_FACTORY: {"counts": marker}}
    if blob is not None:
        markers["com.example.Blobs"] = {"counts": blob}
    return checkpoint_v2("t", {IN: offset}, markers=markers, at=FIRST_TIME + at * MINUTE)


def job_of(
    database: Connection, name: str, coordinator: Sequence[NewEvent] = (), checkpoints: Iterable[NewEvent] = ()
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
    return job.rows("anomaly", "stream_kind, log_offset, anomaly, subject")


MOVED, REMAPPED, SHARED = "checkpoint_moved_back", "changelog_remapped", "changelog_shared"
IGNORED, ROLLBACK, DISAGREE = "startpoint_ignored", "checkpoint_version_rollback", "state_markers_disagree"
SEED_000: Final = [set_checkpoint("t", {IN: offset}) for offset in ("41", "42", "43")]
FANNED_OUT_LATER: Final = fan_out("t", {IN: BACK}, timestamp=FIRST_TIME + MINUTE)
WITH_STANDBY: Final = [
    task_mode("Standby-t-0", "Standby"),
    changelog_set("t", 0),
    changelog_set("Standby-t-0", 0),
    task_partition(IN, "t", "Standby-t-0"),
]
GROUPER: Final = "job.systemstreampartition.grouper.factory"
BY_PARTITION: Final = DEFAULTS[GROUPER]
CHANGELOG: Final = "stores.s.changelog"
WRITE_ONCE: Final = "write_once_changed"


def named(name: str) -> NewEvent:
    return config_set("job.name", f"anomaly-{name}")


def by_script(key: str, value: str) -> NewEvent:
    return message(SetConfig(config_key=key, config_value=value), source="script")


WRONG: Final[list[tuple[str, Events, Events, Row, str]]] = [
    (
        "back",
        [],
        [v1("41"), v1("9", at=1), v1("10", at=2)],
        ("checkpoint", 1, MOVED, IN),
        "The checkpoint of task t went back from 41 (log offset 0) to 9, and neither",
    ),
    ("back-000", [SEED_000[1], SEED_000[0]], [], ("coordinator", 1, MOVED, IN), "went back from 42"),
    (
        "remap",
        [changelog_set("t", 3), OTHER, changelog_set("t", 4)],
        [],
        ("coordinator", 2, REMAPPED, "t"),
        "The changelog partition of task t changed from 3 (log offset 0) to 4: ",
    ),
    (
        "given",
        [changelog_set("t", 3), tombstone(changelog_set("t", 3)), changelog_set("u", 3)],
        [],
        ("coordinator", 2, REMAPPED, "u"),
        "Task u was assigned changelog partition 3, which was that of task t (log offset 0): ",
    ),
    (
        "shared",
        [changelog_set("t", 3), changelog_set("u", 4), changelog_set("v", 3)],
        [],
        ("coordinator", 2, SHARED, "3"),
        "Changelog partition 3 was assigned to task v, but is also that of task t (log offset 0)",
    ),
    (
        "refused",
        [OTHER, FANNED_OUT_LATER, OTHER, GONE],
        [v1("41"), v1("42", at=2), v1("43", at=4)],
        ("coordinator", 3, IGNORED, IN),
        "from 41 (log offset 0) to 42 (log offset 1)",
    ),
    (
        "never-consumed",
        [OTHER, fan_out("t", {IN: StartpointOldest(FIRST_TIME)})],
        [v1("41"), v1("41", at=2), v1("42", at=3), v1("42", at=4), v1("50", at=5)],
        ("checkpoint", 3, IGNORED, IN),
        "Startpoint oldest was fanned out to task t (log offset 1)",
    ),
    ("ignored-000", [SEED_000[0], TO_T, *SEED_000[1:]], [], ("coordinator", 3, IGNORED, IN), "specific 7"),
    (
        "names",
        [config_set("job.name", "anomaly_names"), config_set("job.name", "anomaly-names")],
        [],
        ("coordinator", 1, "two_job_names", "job.name"),
        "was anomaly_names (log offset 0) and is now anomaly-names",
    ),
    (
        "rollback",
        [config_set(READ_VERSIONS, "2,1")],
        [v1("40"), v2("40"), v1("41", at=1), v1("42", at=10), v1("43", at=11), v1("44", at=12)],
        ("checkpoint", 4, ROLLBACK, "t"),
        "older by more than 10 minutes (log offset 1)",
    ),
    *(
        (
            f"max-age-{minutes}",  # the usual ones and another
            [config_set(READ_VERSIONS, "1,2"), config_set("task.live.checkpoint.max.age", str(minutes * MINUTE))],
            [v1("1"), *(v2("1", at=at) for at in (1, 3, 90, 180))],
            ("checkpoint", offset, ROLLBACK, "t"),
            "older by more than",
        )
        for minutes, offset in ((2, 2), (10, 3), (120, 4))
    ),
    (
        "unread",
        [],
        [v1("40"), v2("40"), v2("41", at=9), v2("42", at=11), v2("43", at=30)],
        ("checkpoint", 3, ROLLBACK, "t"),
        "the job does not read",
    ),
    (
        "versions",
        [OTHER, READ_V2, READ_V2],
        [v2("30"), v1("40")],
        ("coordinator", 1, ROLLBACK, "t"),
        "reads again from 30 in kafka.in.0 instead of 40",
    ),
    (
        "backends",
        [READ_V2],
        [
            with_state(str(at), *commit, at=at)
            for at, commit in enumerate([("5", "a"), ("6", "b"), ("6", "b"), ("7", "b"), ("8", "b"), ("8", "b")])
        ],
        ("checkpoint", 4, DISAGREE, "t"),
        "at offset 8 of changelog kafka.counts-changelog.3, but its marker of com.example.Blobs has not changed since",
    ),
    (
        "standby-shared",
        [*WITH_STANDBY, changelog_set("u", 0)],
        [],
        ("coordinator", 4, SHARED, "0"),
        "is also that of task t (log offset 1)",
    ),
    (
        "changed",
        [config_set(GROUPER, "X"), named("changed"), by_script(GROUPER, "Y")],
        [],
        ("coordinator", 2, WRITE_ONCE, GROUPER),
        f"{GROUPER} was X (log offset 0) and is now Y, set by script on host host-1 as user samza",
    ),
    (
        "unset",
        [named("unset"), by_script(GROUPER, "Y")],
        [],
        ("coordinator", 1, WRITE_ONCE, GROUPER),
        f"was {BY_PARTITION} (the default) and is now Y",
    ),
    (
        "deleted",
        [config_set(GROUPER, "Y"), named("deleted"), config_deleted(GROUPER)],
        [],
        ("coordinator", 2, WRITE_ONCE, GROUPER),
        f"was Y (log offset 0) and is now {BY_PARTITION}, set by an unknown writer: ",
    ),
    *(
        (
            f"changelog-{number}",
            [named(f"changelog-{number}"), config_set("stores.s.factory", "RocksDb"), *changed],
            [],
            ("coordinator", 2 + len(changed) - 1, WRITE_ONCE, CHANGELOG),
            f"was kafka.a (log offset 2) and is now {now}",
        )
        for number, (changed, now) in enumerate(
            [
                ([config_set(CHANGELOG, "kafka.a"), by_script(CHANGELOG, "kafka.b")], "kafka.b, set by script"),
                ([config_set(CHANGELOG, "kafka.a"), config_deleted(CHANGELOG)], "not set"),
                *(
                    ([config_set(CHANGELOG, "a"), config_set(system, "kafka"), by_script(system, "other")], "other.a")
                    for system in ("job.changelog.system", "job.default.system")
                ),
            ]
        )
    ),
]


@pytest.mark.parametrize(("name", "coordinator", "checkpoints", "row", "words"), WRONG, ids=[one[0] for one in WRONG])
def test_what_is_wrong(
    database: Connection, name: str, coordinator: Events, checkpoints: Events, row: Row, words: str
) -> None:
    job = job_of(database, name, coordinator, checkpoints)
    assert shown(job) == [row]
    database.execute("set local intervalstyle = 'iso_8601'")  # as a reader's session may have
    ((detail,),) = job.rows("anomaly", "detail")
    assert words in detail
    assert detail.endswith(".")


REWOUND: Final = [v1("41"), v2("41"), v1("9", at=3), v2("9", at=3)]
SWAPPED: Final = [changelog_set("t", 0), changelog_set("u", 1), changelog_set("v", 2)]
NAME: Final = config_set("job.name", "anomaly-near-same")

RIGHT: Final[list[tuple[str, Events, Events]]] = [
    ("pairs", [], [v1("40"), v2("40"), v1("41"), v2("41")]),
    ("equal", [], [v1("41"), v1("41"), v1("41")]),
    ("dropped", [], [v1("41"), v1("7", partition="kafka.in.1"), v1("9")]),
    ("deleted", [], [v1("41"), tombstone(v1("41")), v1("9")]),
    ("no-offset", [], [v1("41"), v1(None), v1("42")]),
    ("digits", [], [v1("9"), v1("10"), v1("100")]),
    ("no-number", [], [v1("b"), v1("a")]),
    ("other-task", [], [v1("41"), v1("9", task="u")]),
    ("unread-version", [], [v1("41"), v2("41"), v2("9")]),
    *(
        (
            f"changelog-{number}",
            [
                config_set("stores.s.changelog", changelog),
                *(config_set(f"job.{key}.system", of) for key, of in systems),
            ],
            [v1("41", partition="kafka.log.0"), v1("9", partition="kafka.log.0")],
        )
        for number, (changelog, systems) in enumerate(
            [
                ("kafka.log", [("changelog", "other")]),
                ("log", [("changelog", "kafka"), ("default", "other")]),
                ("log", [("default", "kafka")]),
            ]
        )
    ),
    ("asked", [config_set(READ_VERSIONS, "1,2"), FANNED_OUT_LATER, OTHER, GONE], REWOUND),
    ("reset", [config_set(RESET, "true")], REWOUND),
    ("reset-by-id", [*IN_HAS_AN_ID, config_set("streams.id.samza.reset.offset", "true")], REWOUND),
    ("mapped-again", [*SWAPPED, *SWAPPED], []),
    ("standby", WITH_STANDBY, []),
    ("mapping-deleted", [changelog_set("t", 3), tombstone(changelog_set("t", 3)), changelog_set("t", 3)], []),
    ("quiet", [TO_T], [v1("41"), v1("41", at=2), v1("41", at=3)]),
    ("under-way", [TO_T], [v1("41"), v1("41", at=2), v1("42", at=3)]),
    ("taken", [TO_T, GONE], [v1("41"), v1("9", at=1), v1("42", at=3), v1("43", at=4)]),
    ("late", [TO_T, *[OTHER] * 6, GONE], [v1("41"), v1("42", at=2), v1("43", at=3), v1("9", at=6)]),
    (
        "upcoming",
        [fan_out("t", {IN: StartpointUpcoming(FIRST_TIME)}), OTHER, GONE],
        [v1("41"), v1("42", at=1), v1("43", at=3)],
    ),
    ("same", [NAME, config_set("job.id", "1"), NAME, config_deleted("job.name"), NAME], []),
    ("versions-pairs", [OTHER, config_set(READ_VERSIONS, "2,1")], [v1("40"), v2("40"), v1("41"), v2("41")]),
    ("versions-forward", [OTHER, READ_V2], [v1("40"), v2("50")]),
    ("versions-again", [OTHER, *[config_set(READ_VERSIONS, "1")] * 2], [v2("30"), v1("40")]),
    ("versions-alone", [OTHER, READ_V2], [v1("40")]),
    *(
        (f"backends-{'-'.join(last)}", [READ_V2], [with_state("1", "5", "a"), with_state("2", *last, at=1)])
        for last in (("6", "b"), ("5", "b"), ("5", "a"))
    ),
]


@pytest.mark.parametrize(("name", "coordinator", "checkpoints"), RIGHT, ids=[name for name, _, _ in RIGHT])
def test_what_only_looks_wrong(database: Connection, name: str, coordinator: Events, checkpoints: Events) -> None:
    assert shown(job_of(database, f"near-{name}", coordinator, checkpoints)) == []


def test_a_real_job_that_was_rewound_by_startpoints_has_no_anomaly(database: Connection) -> None:
    assert shown(import_recording_a(database)) == []


def test_each_partition_that_moved_back_whatever_the_order_of_names(database: Connection) -> None:
    checkpoints = [
        checkpoint_v1("t", {IN: "41", "kafka.in.1": "100", "kafka.in.2": "5"}),
        checkpoint_v1("t", {"kafka.in.2": "6", "kafka.in.1": "99", IN: "9"}),
        checkpoint_v1("t", {"kafka.in.2": "7", "kafka.in.1": "98", IN: "9"}),
    ]
    job = job_of(database, "partitions", checkpoints=checkpoints)
    assert [(row[1], row[3]) for row in shown(job)] == [(1, IN), (1, "kafka.in.1"), (2, "kafka.in.1")]


@pytest.mark.parametrize(
    ("name", "coordinator"),
    [
        ("other-task", [fan_out("u", {IN: BACK})]),
        ("other-partition", [fan_out("t", {"kafka.in.1": BACK})]),
        ("too-late", [*[OTHER] * 5, TO_T]),
        ("long-gone", [TO_T, tombstone(TO_T)]),
        ("no-reset", [config_set(RESET, "false")]),
        ("reset-before", [config_set(RESET, "true"), config_deleted(RESET)]),
        ("reset-of-other-id", [*IN_HAS_AN_ID, config_set("streams.in.samza.reset.offset", "true")]),
        ("other-reset", [config_set(RESET.replace(".in.", ".out."), "true")]),
    ],
)
def test_what_asked_for_another_rewind(database: Connection, name: str, coordinator: Events) -> None:
    job = job_of(database, f"unasked-{name}", coordinator, [v1("41", at=2), v1("9", at=3)])
    assert ("checkpoint", 1, MOVED, IN) in shown(job)


def test_tasks_that_swap_partitions_in_one_start_do_not_share_them(database: Connection) -> None:
    swapped = [changelog_set("t", 0), changelog_set("u", 1), changelog_set("t", 1), changelog_set("u", 0)]
    job = ImportedJob(database, "anomaly-swap", coordinator=swapped)
    assert shown(job) == [("coordinator", 2, REMAPPED, "t"), ("coordinator", 3, REMAPPED, "u")]


def test_no_secret_is_in_a_detail(database: Connection) -> None:
    names = ("anomaly-secret", "postgres://u:hunter2@db/x", "anomaly-secret")
    groupers = ["kafka://u:hunter2@db/x", "kafka://u:hunter3@db/x"]
    first, then = (config_set(GROUPER, each) for each in groupers)
    events = [first, *(config_set("job.name", name) for name in names), then]
    rows = job_of(database, "secret", events).rows("anomaly", "anomaly, detail")
    assert [anomaly for anomaly, _ in rows] == ["two_job_names", "two_job_names", WRITE_ONCE]
    assert "hunter" not in repr(rows)
    before, now = map(SETTINGS.secrets.fingerprint, groupers)
    assert f"was {before} (log offset 0) and is now {now}" in rows[-1][1]


def test_the_defaults_of_write_once_settings_are_those_of_the_managers(database: Connection) -> None:
    listed = database.execute("select config_key, config_value from projection.write_once_default()").fetchall()
    assert dict(listed) == DEFAULTS


def test_state_behind_its_inputs(database: Connection) -> None:
    """In the same batch and size as the commit before, and in another size."""
    states = ["15", "12", "14", "9", "10"]
    checkpoints = [with_state(str(10 + at), state, at=at) for at, state in enumerate(states)]
    job = job_of(database, "behind", [READ_V2], checkpoints)
    assert shown(job) == [("checkpoint", at, DISAGREE, "t") for at in (1, 3)]
    (first, second) = [text for (text,) in job.rows("anomaly", "detail")]
    assert "went back from offset 14 (log offset 2) to 9 of changelog kafka.counts-changelog.3, but no input" in first
    assert "went back from offset 15 (log offset 0) to 12" in second


def test_state_that_went_back_with_its_inputs_is_no_disagreement(database: Connection) -> None:
    checkpoints = [with_state("20", "15"), with_state("10", "12", at=1)]
    job = job_of(database, "together", [READ_V2, config_set(RESET, "true")], checkpoints)
    assert [row for row in shown(job) if row[2] == DISAGREE] == []
