"""A manager reads what the relation ``checkpoint`` shows: of every task of many generated jobs."""

from collections.abc import Iterator
from typing import Final

import pytest

from coordstream.postgres import EmbeddedPostgres
from eventlog.checkpoint import CheckpointV1
from eventlog.errors import ConfigError, WireError
from eventlog.events import RecordedEvent
from eventlog.log import MemoryEventLog
from eventlog.postgres.connection import Connection, connect
from eventlog.streams import identify
from eventlog.wire.checkpoint_topic import DEFAULT_GROUPER_FACTORY, decode_key
from managers.checkpoints.checkpoint_manager import (
    VALIDATION,
    JobCheckpoints,
    KafkaCheckpointManager,
    checkpoint_manager,
)
from managers.job_facts import JobFacts
from managers.job_names import GROUPER_FACTORY
from tests.acceptance.torture import scaled
from tests.fixtures.compiled_parts import with_and_without
from tests.fixtures.postgres import CloneSeries
from tests.properties.generated_jobs import GeneratedJob, GeneratedLog, generate_job
from tests.properties.importing import import_log, job_key, with_events

pytestmark = [pytest.mark.slow, pytest.mark.torture]
way = with_and_without()

JOBS: Final = scaled(100, 300)
NOT_HELD: Final = (rb"\u0000", rb"\udc00")
SHOWN: Final = """
select job_name, task_name, system_name, stream_name, partition_id, key_bucket, input_offset from coordinator.checkpoint
"""

Partition = tuple[str, str, int, int]
Offsets = dict[str, dict[Partition, str | None]]
"""Input offsets by task and partition; a task without any is not there."""


class LogOf(MemoryEventLog):
    """A log of events that have their offsets already."""

    def __init__(self, log: GeneratedLog) -> None:
        super().__init__(identify(log.stream_name))
        self._given = log.events

    def read(self, first: int = 0, until: int | None = None) -> Iterator[RecordedEvent]:
        """See `EventLog.read`."""
        end = self.end_offset() if until is None else until
        return (event for event in self._given if first <= event.offset < end)

    def end_offset(self) -> int:
        """See `EventLog.end_offset`."""
        return self._given[-1].offset + 1 if self._given else 0


def facts_of(job: GeneratedJob) -> JobFacts:
    """What the job's coordinator stream says, if it has one."""
    return JobFacts({}, frozenset()) if job.coordinator is None else JobFacts.read(LogOf(job.coordinator))


def comparable(job: GeneratedJob) -> GeneratedJob:
    """The job without checkpoints of other groupers, which a manager accepts or rejects depending on its options.

    Also without texts that Postgres can't hold: there they are quarantined, and a manager reads them.
    """
    grouper = facts_of(job).config.get(GROUPER_FACTORY, DEFAULT_GROUPER_FACTORY)

    def is_kept(event: RecordedEvent) -> bool:
        if any(text in (event.value or b"") for text in NOT_HELD):
            return False
        try:
            return decode_key(event.key).grouper_factory == grouper
        except WireError:
            return True

    def kept(log: GeneratedLog) -> list[RecordedEvent]:
        return log.events if log is job.coordinator else list(filter(is_kept, log.events))

    return with_events(job, kept)


def manager_of(job: GeneratedJob) -> JobCheckpoints | None:
    """The manager that the job's config chooses; None where config can't be used."""
    logs = [None if log is None else LogOf(log) for log in (job.coordinator, job.checkpoint)]
    config = {**facts_of(job).config, VALIDATION: "false"}
    try:
        return checkpoint_manager(config, coordinator=logs[0], checkpoint=logs[1])
    except ConfigError:
        return None


def read_by(manager: JobCheckpoints, facts: JobFacts) -> Offsets:
    """What a job would start from. Changelogs stand among the inputs in version 1 of the topic alone."""
    found: Offsets = {}
    holds_state = isinstance(manager, KafkaCheckpointManager)
    with manager:
        for task_name in manager.task_names():
            manager.register(task_name)
            checkpoint = manager.read_last_checkpoint(task_name)
            inputs = {
                (at.system, at.stream, at.partition, at.key_bucket): offset
                for at, offset in (checkpoint.offsets.items() if checkpoint else ())
                if not (holds_state and isinstance(checkpoint, CheckpointV1) and facts.is_state(at, offset))
            }
            if inputs:
                found[task_name] = inputs
    return found


def shown_by(connection: Connection) -> dict[str, Offsets]:
    found: dict[str, Offsets] = {}
    for job_name, task_name, *partition, offset in connection.execute(SHOWN.encode()):
        of_job = found.setdefault(job_key(job_name), {})
        of_job.setdefault(task_name, {})[tuple(partition)] = offset
    return found


@pytest.fixture(scope="module")
def connection(postgres_server: EmbeddedPostgres, template_database: str) -> Iterator[Connection]:
    with CloneSeries(postgres_server, template_database) as series, connect(series.next_url()) as connected:
        yield connected


def test_a_manager_reads_what_the_relation_shows(connection: Connection) -> None:
    expected: dict[str, Offsets] = {}
    for number in range(JOBS):
        job = comparable(generate_job(number))
        manager = manager_of(job)
        if manager is None:
            continue
        for log in job.logs:
            import_log(connection, log)
        expected[job.name] = read_by(manager, facts_of(job))
    shown = shown_by(connection)
    differing = {name: (read, shown.get(name, {})) for name, read in expected.items() if read != shown.get(name, {})}
    assert len(expected) > JOBS / 2
    assert len(shown) > JOBS / 3
    assert list(differing) == [], next(iter(differing.values()))
