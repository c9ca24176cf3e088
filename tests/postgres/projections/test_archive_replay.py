"""A log that is followed, rebuilt from archive and observations, or imported gives the same relations."""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

import pytest

from eventlog.events import RecordedEvent
from eventlog.postgres.archive import ArchivedEvents, read_archive
from eventlog.postgres.connection import Connection, connect
from eventlog.timestamps import micros_of
from projections.follow.resume import LogSource
from projections.follow.resync import resync
from projections.rebuild import rebuild_log
from projections.scratch_fold import archived_batches
from projections.tracked_logs import TrackedLog, logs_of, read_observations
from projections.verify import verify_log
from tests.fixtures.acceptance.torture import scaled
from tests.fixtures.memory_source import MemorySource, MemoryTopic
from tests.fixtures.projections.follow.running import let_pass
from tests.fixtures.projections.rebuilt import folded_rows, forget
from tests.fixtures.properties.generated_jobs import GeneratedLog, Knobs, generate_job
from tests.fixtures.properties.importing import ARCHIVED_AT, SETTINGS, import_events

pytestmark = pytest.mark.slow

LONG: Final = Knobs(events=(100, 150), without_topic=0, without_coordinator=0, across_partitions=0, absurd_time=0.2)
SWEPT: Final = (0, 3, 47, 197)
"""Jobs with several spellings of one key: swept at once (a config key in 3, a checkpoint in 47), job.name in 197."""

BELIEVED: Final = replace(LONG, absurd_time=0)
FINGERPRINTS: Final = """
select f.* from (select distinct job_name, job_id from projection.job_log) j
cross join lateral coordinator.fingerprint(j.job_name, j.job_id) f order by f.*
"""


def follow(connection: Connection, source: MemorySource, name: str, rng: random.Random, clock: "Clock") -> None:
    """Resume, and apply events in batches of random sizes, each at a later time."""
    logs = LogSource(connection, source, SETTINGS, clock)
    start = logs.find_resume_point(name)
    projector = logs.projector(start.log)
    if start.resync:
        resync(logs, projector, start, batch_events=rng.randint(1, 40))
        return
    events = list(source.read(name, projector.next_offset, start.target))
    while events:
        size = rng.randint(1, 20)
        projector.apply(events[:size])
        events = events[size:]


class Clock:
    """A clock that advances by up to an hour at each call."""

    def __init__(self, rng: random.Random, now: datetime) -> None:
        self._rng = rng
        self.now = now

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=self._rng.randint(0, 3_600))
        return self.now


def follow_in_parts(
    connection: Connection,
    log: GeneratedLog,
    rng: random.Random,
    *,
    longest_absence: timedelta,
    since: datetime = ARCHIVED_AT - timedelta(days=1),
) -> TrackedLog:
    """Follow the log in parts, with compaction and absences in between."""
    source, clock = MemorySource(), Clock(rng, since)
    topic = source.create(log.stream_name)
    for part in parts(log.events, rng):
        topic.extend(part)
        follow(connection, source, log.stream_name, rng, clock)
        delete_some(topic, rng)
        absence = rng.choice([timedelta(0), longest_absence])
        topic.compact(keep_tombstones=not absence)
        clock.now += absence
        let_pass(connection, absence)
    follow(connection, source, log.stream_name, rng, clock)
    return logs_of(connection, log.stream_name)[0]


def parts(events: list[RecordedEvent], rng: random.Random) -> Iterator[list[RecordedEvent]]:
    """Split the events into three parts, with unused offsets for deletes between them."""
    cuts = sorted(rng.sample(range(1, len(events)), 2))
    for number, (first, last) in enumerate(zip([0, *cuts], [*cuts, len(events)], strict=True)):
        yield [event._replace(offset=event.offset + 10 * number) for event in events[first:last]]


def delete_some(topic: MemoryTopic, rng: random.Random) -> None:
    keys = sorted({event.key for event in topic.events if event.key is not None})
    for key in rng.sample(keys, min(5, len(keys))):
        topic.append(key, None)


@pytest.mark.torture
@pytest.mark.parametrize("number", scaled(SWEPT, range(300)))
def test_a_rebuilt_log_has_the_same_relations(clone_database: Callable[[], str], number: int) -> None:
    swept, rng = 0, random.Random(number)
    for log in generate_job(number, LONG).logs:
        with connect(clone_database()) as connection:
            followed = follow_in_parts(connection, log, rng, longest_absence=timedelta(days=3))
            swept += sum(observation.kind == "swept" for observation in read_observations(connection, followed.log_id))
            check_rebuild(connection, followed, batch_events=rng.choice([3, 40, 40_000]))
    assert swept > 0 or number not in SWEPT


@pytest.mark.torture
@pytest.mark.parametrize("number", range(scaled(3, 300)))
def test_an_imported_log_has_the_same_relations(clone_database: Callable[[], str], number: int) -> None:
    """An import knows no sweeps and has its own clock, so this follower is never away, and believes all times."""
    rng = random.Random(number)
    for log in generate_job(number, BELIEVED).logs:
        with connect(clone_database()) as connection:
            followed = follow_in_parts(connection, log, rng, longest_absence=timedelta(0), since=ARCHIVED_AT)
            check_rebuild(connection, followed, batch_events=rng.choice([3, 40, 40_000]))
            archived, expected = list(read_archive(connection, followed.log_id)), fingerprints(connection)
        with connect(clone_database()) as connection:
            import_events(connection, log.stream_name, archived, rng.randint(1, 200))
            assert fingerprints(connection) == expected
            assert verify_log(connection, logs_of(connection, log.stream_name)[0], SETTINGS).is_equal


def check_rebuild(connection: Connection, followed: TrackedLog, batch_events: int) -> None:
    """Check that rebuilds of deleted rows, of the gaps and then of all tables, give them again."""
    before = folded_rows(connection)
    assert verify_log(connection, followed, SETTINGS, batch_events=7).is_equal
    name = followed.stream.stream_name
    connection.execute("delete from projection.gap where log_id = %s", (followed.log_id,))
    rebuild_log(connection, followed, SETTINGS, batch_events=batch_events)
    assert folded_rows(connection) == before
    forget(connection, followed)
    rebuilt = rebuild_log(connection, logs_of(connection, name)[0], SETTINGS, batch_events=batch_events)
    assert rebuilt.rebuilt == len(list(read_archive(connection, followed.log_id)))
    assert folded_rows(connection) == before
    assert logs_of(connection, name)[0].next_offset == followed.next_offset
    assert verify_log(connection, logs_of(connection, name)[0], SETTINGS).is_equal


def fingerprints(connection: Connection) -> list[tuple[object, ...]]:
    """The fingerprints of all relations."""
    return connection.execute(FINGERPRINTS).fetchall()


AT: Final = datetime(2026, 3, 4, tzinfo=UTC)
AT_MS: Final = 1_772_582_400_000
AT_MICROS: Final = micros_of(AT)


def event(offset: int, timestamp: int = 0) -> RecordedEvent:
    return RecordedEvent(offset, timestamp, 0, b"k", b"v")


def archived(*events: RecordedEvent, at: int = AT_MICROS) -> ArchivedEvents:
    return ArchivedEvents(list(events), [at] * len(events))


def test_a_batch_ends_with_the_page_in_which_it_reaches_its_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("projections.scratch_fold.BATCH_BYTES", 8)
    pages = [archived(*map(event, range(first, first + 3))) for first in range(0, 12, 3)]
    assert [len(batch.events) for batch in archived_batches(pages, [], 100)] == [6, 6]


@pytest.mark.parametrize(
    ("ahead_ms", "together"),
    [(3_600_000, True), (3_600_001, False), (2 * 3_600_000, False), (2 * 3_600_000 + 1, True), (2**62, True)],
)
def test_a_batch_ends_where_the_archiving_time_changes_the_log_time(ahead_ms: int, together: bool) -> None:
    later = AT_MICROS + 3_600_000_000
    pages = [archived(event(0)), archived(event(1, AT_MS + ahead_ms), at=later)]
    both = [ArchivedEvents([*pages[0].events, *pages[1].events], [AT_MICROS, later])]
    for archive in (pages, both):
        assert len(list(archived_batches(archive, [], 10))) == (1 if together else 2)
