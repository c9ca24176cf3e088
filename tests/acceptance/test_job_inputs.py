"""What config says about a job's inputs: which they are, and where they start."""

from typing import Final

from eventlog.postgres.connection import Connection
from eventlog.startpoint import StartpointSpecific
from tests.acceptance.imported_job import ImportedJob
from tests.builders import FIRST_TIME, checkpoint_v1, config_set, startpoint, task_partition

STARTS: Final = "task_name, system_name, stream_name, decided_by, startpoint_type"
COMMIT: Final = [checkpoint_v1("t", {"kafka.page-views.0": "41"})]
BY_ID: Final = [
    config_set("task.inputs", "views"),
    config_set("streams.views.samza.system", "kafka"),
    config_set("streams.views.samza.physical.name", "page-views"),
    config_set("systems.kafka.streams.page-views.samza.offset.default", "upcoming"),
    task_partition("kafka.page-views.0", "t"),
]


def test_the_default_of_the_stream_s_id_counts_first(database: Connection) -> None:
    events = [*BY_ID, config_set("streams.views.samza.offset.default", "oldest")]
    job = ImportedJob(database, "inputs-default", coordinator=events)
    assert job.rows("starting_offset", STARTS) == [("t", "kafka", "page-views", "default", "oldest")]
    explain = "select outcome, reason from coordinator.explain(%s, '1', 't', null) where rule = 'default'"
    assert database.execute(explain.encode(), (job.name,)).fetchall() == [
        ("wins", "default: set by streams.views.samza.offset.default"),
        ("loses", "other setting: streams.views.samza.offset.default takes precedence"),
    ]


def test_a_reset_of_the_stream_s_id_ignores_its_checkpoint(database: Connection) -> None:
    events = [*BY_ID, config_set("streams.views.samza.reset.offset", "true")]
    job = ImportedJob(database, "inputs-reset", coordinator=events, checkpoints=COMMIT)
    assert job.rows("starting_offset", STARTS) == [("t", "kafka", "page-views", "reset", "upcoming")]


def test_white_space_around_names_does_not_count(database: Connection) -> None:
    """As in Samza (TaskConfig.getInputStreams, StorageConfig.getChangelogStream)."""
    events = [
        config_set("task.inputs", "kafka.clicks,\n\tkafka.page-views\r\n"),
        config_set("systems.kafka.samza.offset.default", "\toldest\n"),
        config_set("stores.s.changelog", " kafka.changes\t"),
        config_set("stores.t.changelog", " \n"),
        task_partition("kafka.page-views.0", "t"),
    ]
    commit = checkpoint_v1("t", {"kafka.changes.0": "7"})
    job = ImportedJob(database, "inputs-trimmed", coordinator=events, checkpoints=[commit])
    assert job.rows("starting_offset", STARTS) == [("t", "kafka", "page-views", "default", "oldest")]
    assert job.rows("checkpoint", "task_name") == []
    assert job.rows("state_checkpoint", "store_name, changelog_stream") == [("s", "changes")]


def test_a_stream_id_without_a_system_is_no_input(database: Connection) -> None:
    events = [config_set("task.inputs", "page-views"), task_partition("kafka.page-views.0", "t")]
    job = ImportedJob(database, "inputs-no-system", coordinator=events)
    assert job.rows("starting_offset", STARTS) == []


def test_an_assignment_of_a_dropped_input_does_not_make_a_key_ambiguous(database: Connection) -> None:
    """``k.s.1.2`` is partition 2 of ``s.1``, which config no longer names, or partition 1 of ``s`` for task 2."""
    events = [
        config_set("task.inputs", "k.s"),
        task_partition("k.s.1.2", "t"),
        task_partition("k.s.1", "2"),
        startpoint("k.s.1.2", StartpointSpecific("7", FIRST_TIME)),
    ]
    job = ImportedJob(database, "inputs-dropped", coordinator=events)
    assert job.rows("startpoint", "stream_name, partition_id, task_name, is_ambiguous") == [("s", 1, "2", False)]
    assert job.rows_as_of("starting_offset", STARTS, FIRST_TIME + 4) == [("2", "k", "s", "startpoint", "specific")]
