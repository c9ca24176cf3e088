"""Generated streams of two jobs: the same events for the same seed.

A released job has a coordinator stream and a checkpoint topic with V1 and V2 of each commit; a job of the oldest kind
keeps its checkpoints in its coordinator stream. Of all events 90 % are checkpoints (60 V1 and V2, 30 set-checkpoint),
8 % set-config, 1 % tombstones, 1 % of every other type, one of them unknown.
"""

from collections.abc import Iterator
from random import Random
from typing import Final

from benchmarks.generated_job import GeneratedJob, Record
from benchmarks.generated_task import GeneratedTask
from eventlog.events import CREATE_TIME, RecordedEvent
from eventlog.streams import checkpoint_stream_name, coordinator_stream_name

RELEASED_JOB: Final = ("page-views-by-country", "1")
OLDEST_JOB: Final = ("sessions", "1")
RELEASED_COORDINATOR: Final = coordinator_stream_name(*RELEASED_JOB)
RELEASED_CHECKPOINTS: Final = checkpoint_stream_name(*RELEASED_JOB)
OLDEST_COORDINATOR: Final = coordinator_stream_name(*OLDEST_JOB)
STREAM_NAMES: Final = (RELEASED_COORDINATOR, RELEASED_CHECKPOINTS, OLDEST_COORDINATOR)
CHANGELOG: Final = f"{RELEASED_JOB[0]}-counts-changelog"

START_MS: Final = 1_700_000_000_000
_MAX_STEP_MS: Final = 10
_LATE_EVERY: Final = 1_000
_LATE_MS: Final = 60_000
_ABSURD_EVERY: Final = 100_000
_A_CENTURY_MS: Final = 100 * 365 * 86_400_000

StreamRecord = tuple[str, bytes, bytes | None]


def generate(
    count: int, seed: int = 1, *, tasks: int = 2_000, config_keys: int = 3_000
) -> Iterator[tuple[str, RecordedEvent]]:
    """``count`` events with their streams' names; ``tasks`` and ``config_keys`` are per job."""
    rng = Random(seed)
    offsets = dict.fromkeys(STREAM_NAMES, 0)
    for (now_ms, stream_name, key, value), _ in zip(_records(rng, tasks, config_keys), range(count), strict=False):
        offset = offsets[stream_name]
        offsets[stream_name] = offset + 1
        yield stream_name, RecordedEvent(offset, _record_time(rng, now_ms), CREATE_TIME, key, value)


def _records(rng: Random, tasks: int, config_keys: int) -> Iterator[tuple[int, str, bytes, bytes | None]]:
    """Endless records, each with its time."""
    now_ms = START_MS
    jobs = _GeneratedJobs(rng, tasks, config_keys)
    for record in jobs.start(now_ms):
        yield now_ms, *record
    while True:
        now_ms += int(rng.random() * _MAX_STEP_MS)
        for record in jobs.draw(now_ms):
            yield now_ms, *record


class _GeneratedJobs:
    def __init__(self, rng: Random, tasks: int, config_keys: int) -> None:
        self._rng = rng
        self._coordinators = (
            (RELEASED_COORDINATOR, GeneratedJob(*RELEASED_JOB, config_keys, rng)),
            (OLDEST_COORDINATOR, GeneratedJob(*OLDEST_JOB, config_keys, rng)),
        )
        self._released_tasks = [GeneratedTask(number, CHANGELOG) for number in range(tasks)]
        self._oldest_tasks = [GeneratedTask(number, CHANGELOG) for number in range(tasks)]

    def start(self, now_ms: int) -> list[StreamRecord]:
        return [(stream_name, *record) for stream_name, job in self._coordinators for record in job.start(now_ms)]

    def draw(self, now_ms: int) -> list[StreamRecord]:
        """The next records: the two of a commit, or one of another type."""
        rng = self._rng
        at, drawn = int(rng.random() * len(self._oldest_tasks)), rng.random() * 70
        if drawn < 30:
            return self._commit(self._released_tasks[at], now_ms)
        if drawn < 60:
            return [(OLDEST_COORDINATOR, *self._set_checkpoint(self._oldest_tasks[at], now_ms))]
        if drawn < 60.25:
            return [(RELEASED_CHECKPOINTS, self._released_tasks[at].key_v1, None)]
        if drawn < 60.5:
            return [(OLDEST_COORDINATOR, self._oldest_tasks[at].key_v0, None)]
        stream_name, job = self._coordinators[int(rng.random() * 2)]
        if drawn < 61:
            record = job.config_tombstone()
        else:
            record = job.other(self._oldest_tasks[at], now_ms) if drawn < 62 else job.config(now_ms)
        return [(stream_name, *record)]

    def _commit(self, task: GeneratedTask, now_ms: int) -> list[StreamRecord]:
        task.advance(self._rng)
        checkpoint_id = f"{now_ms}-{int(self._rng.random() * 1_000_000)}"
        return [
            (RELEASED_CHECKPOINTS, task.key_v1, task.value_v1(checkpoint_id).encode()),
            (RELEASED_CHECKPOINTS, task.key_v2, task.value_v2(checkpoint_id).encode()),
        ]

    def _set_checkpoint(self, task: GeneratedTask, now_ms: int) -> Record:
        task.advance(self._rng)
        return task.key_v0, task.value_v0(now_ms).encode()


def _record_time(rng: Random, now_ms: int) -> int:
    drawn = rng.random() * _ABSURD_EVERY
    if drawn < 1:
        return now_ms + _A_CENTURY_MS
    return now_ms - _LATE_MS if drawn < _ABSURD_EVERY / _LATE_EVERY else now_ms
