"""Jobs made up from a seed: two logs that hold everything which may stand on them, good and bad."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from eventlog.events import RecordedEvent
from tests.properties.generated_checkpoints import CheckpointWriter
from tests.properties.generated_messages import MessageWriter
from tests.properties.spelling import Spelling

ARCHIVED_MS: Final = 1_750_000_000_000
"""When generated logs are archived; their events lie before it, but for some absurd ones."""

Record = tuple[bytes | None, bytes | None]


@dataclass(frozen=True)
class Knobs:
    """How a job is made. Probabilities are per event; ``events`` is the least and the greatest length of a log."""

    events: tuple[int, int] = (5, 60)
    unreadable: float = 0.06
    tombstone: float = 0.12
    respelt: float = 0.3
    gap: float = 0.1
    absurd_time: float = 0.03
    without_topic: float = 0.15
    without_coordinator: float = 0.05
    across_partitions: float = 0.05


LONG: Final = Knobs(events=(150, 150), without_topic=0, without_coordinator=0, across_partitions=0)
"""Both logs, long enough for many batches."""


@dataclass(frozen=True)
class GeneratedLog:
    """Events of one log; ``unreadable`` has the offsets of those that cannot be decoded."""

    stream_name: str
    events: list[RecordedEvent]
    unreadable: frozenset[int]

    def readable(self) -> list[RecordedEvent]:
        """The events without the unreadable ones."""
        return [event for event in self.events if event.offset not in self.unreadable]


@dataclass(frozen=True)
class GeneratedJob:
    """A job with one log or both; ``name`` is what its streams are called after, ``number`` the seed."""

    number: int
    coordinator: GeneratedLog | None
    checkpoint: GeneratedLog | None
    logs: Sequence[GeneratedLog] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "logs", [log for log in (self.coordinator, self.checkpoint) if log is not None])

    @property
    def name(self) -> str:
        return f"job-{self.number}"

    @property
    def coordinator_events(self) -> list[RecordedEvent]:
        """Events of the coordinator stream; empty where the job has none."""
        return [] if self.coordinator is None else self.coordinator.events

    @property
    def checkpoint_events(self) -> list[RecordedEvent] | None:
        """Events of the checkpoint topic; None where the job has none."""
        return None if self.checkpoint is None else self.checkpoint.events


def generate_job(number: int, knobs: Knobs = Knobs()) -> GeneratedJob:
    """The job of this number; the same number always gives the same job."""
    rng = random.Random(number)
    spelling = Spelling(rng, knobs.respelt)
    has_topic = rng.random() >= knobs.without_topic
    has_coordinator = not has_topic or rng.random() >= knobs.without_coordinator
    coordinator = checkpoint = None
    if has_coordinator:
        records = MessageWriter(rng, spelling, f"job_{number}").records(knobs.tombstone, knobs.unreadable)
        coordinator = _log(f"__samza_coordinator_job-{number}_1", records, rng, knobs)
    if has_topic:
        records = CheckpointWriter(rng, spelling).records(knobs.tombstone, knobs.unreadable)
        checkpoint = _log(f"__samza_checkpoint_ver_1_for_job-{number}_1", records, rng, knobs)
    return GeneratedJob(number, coordinator, checkpoint)


def _log(stream_name: str, records: Iterator[tuple[Record, bool]], rng: random.Random, knobs: Knobs) -> GeneratedLog:
    offset = 9_999_990 if rng.random() < knobs.across_partitions else rng.choice([0, 0, 3])
    time = ARCHIVED_MS - 86_400_000
    events, unreadable = [], []
    for _ in range(rng.randint(*knobs.events)):
        (key, value), is_readable = next(records)
        time += rng.choice([-5_000, 0, 1, 1_000, 60_000, 300_000, 600_000, 600_001, 900_000])
        stamp = ARCHIVED_MS * 60 if rng.random() < knobs.absurd_time else time
        events.append(RecordedEvent(offset, stamp, 0, key, value))
        if not is_readable:
            unreadable.append(offset)
        offset += rng.randint(2, 5) if rng.random() < knobs.gap else 1
    return GeneratedLog(stream_name, events, frozenset(unreadable))
