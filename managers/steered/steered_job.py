"""A steered job: startpoints and checkpoints on its log decide where it reads, its sink what has been written.

Each batch is committed twice: in the sink, in the transaction of the batch's output, and then on the job's log, as a
checkpoint. The first one counts. After a crash in between, the next start writes the checkpoint again.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from threading import Event
from types import MappingProxyType
from typing import Final, NamedTuple, Self

from eventlog.checkpoint import CheckpointV1
from eventlog.config import boolean
from eventlog.errors import list_names
from eventlog.kafka.options import KafkaOptions
from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import Startpoint, StartpointOldest
from eventlog.system_admin import SystemAdmin
from managers.errors import ManagerError
from managers.offsets.resolved_starts import AssignedPartition
from managers.startpoints.next_starts import Stream, stream_of
from managers.startpoints.startpoint_records import REQUESTS
from managers.steered.job_record import JobRecord
from managers.steered.starts import resolve_starts

LIVE_STARTPOINTS: Final = "coordstream.startpoints.live"
"""A key of the job's config: whether startpoints that are requested while the job runs are followed at once."""
TOPIC_ID: Final = "coordstream.topic.id"
"""With a dot and an input: a key of the job's config, whose value is the id of the topic that the job reads."""


class JobTakenOver(ManagerError):
    """Another copy of the job has written to the sink."""

    def __init__(self, job: str, holder: str = "") -> None:
        self.job = job
        by = f" ({holder})" if holder else ""
        super().__init__(
            f"Another copy of job {job} has taken over its sink{by}. This copy has stopped, and its last batch was not "
            "written. Run one copy at a time."
        )


class RecordsLost(ManagerError):
    """Records that the job is about to read do not exist."""

    def __init__(self, partition: SystemStreamPartition, next_offset: int, reason: str) -> None:
        self.partition = partition
        self.next_offset = next_offset
        super().__init__(
            f"The next offset of {partition} is {next_offset}, but {reason}. Request a startpoint to "
            "continue from (`coordstream startpoint write`)."
        )


Places = Mapping[SystemStreamPartition, int]
"""The next offset of each partition."""
Bounds = Mapping[SystemStreamPartition, range]
"""The offsets that each partition of the inputs has now."""


class Committed(NamedTuple):
    """What the last batch left in a sink: its number, 0 if there was none, and the places after it."""

    batch: int = 0
    places: Places = MappingProxyType({})

    @classmethod
    def of_json(cls, batch: int, places: str) -> Self:
        """Read what `SteeredBatch.places_json` wrote."""
        return cls(batch, {SystemStreamPartition(*names): offset for *names, offset in json.loads(places)})


@dataclass(frozen=True)
class SteeredBatch:
    """Records to be written by one commit: of each partition, those from an offset to before another one.

    ``places`` are those of all partitions after the batch, also of inputs that were left out since. A batch without
    ranges only records where a job starts.
    """

    job: str
    number: int
    ranges: Mapping[SystemStreamPartition, range]
    places: Places

    def __str__(self) -> str:
        found = [f"{each} offsets {offsets[0]} to {offsets[-1]}" for each, offsets in self.ranges.items()]
        return f"batch {self.number} ({list_names(found, most=3)})"

    def places_json(self) -> str:
        """The places as a JSON list of system, stream, partition, and next offset."""
        return json.dumps([[each.system, each.stream, each.partition, offset] for each, offset in self.places.items()])


class SteeredJob:
    """Decides what each batch of a job reads, and records on the job's log what its sink has committed.

    Commit each of its `batches` in the sink, then `record` it. For one thread.
    """

    def __init__(
        self,
        record: JobRecord,
        admins: Mapping[str, SystemAdmin],
        inputs: Sequence[Stream],
        config: Mapping[str, str],
    ) -> None:
        """``admins`` are by the job's names of its systems; ``config`` is written on the job's log."""
        self.job_name: Final = record.job_name
        self.job_id: Final = record.job_id
        self.task_name: Final = record.job_name
        self._record = record
        self._admins = admins
        self._inputs = inputs
        self._given_config = config
        self._batch = 0
        self._places: Places = {}
        self._partitions: Sequence[SystemStreamPartition] = ()
        self._topic_ids: dict[str, str] = {}
        """Those of the inputs now, by keys of the config."""
        self._started_ids: Mapping[str, str] = {}
        self._left_requests = set[tuple[str, bytes]]()
        """Those that the last fan-out left, because they have expired or are of other partitions."""
        self._followed: Mapping[SystemStreamPartition, Startpoint] = {}

    def batches(
        self,
        take_over: Callable[[Sequence[SystemStreamPartition]], Committed],
        commit: Callable[[SteeredBatch], None],
        most: int,
        stopping: Event,
        *,
        interval: float | None,
    ) -> Iterator[SteeredBatch]:
        """Yield batches, each to be committed in the sink and recorded before the next one, until ``stopping`` is set.

        ``take_over`` takes the sink over, and returns what it has committed of some partitions; ``commit`` writes a
        batch without records, at first, when a startpoint is to be followed at once, and when a topic gets partitions.
        ``interval``: how long to wait for records, in seconds; None: end at the current ends. ``most``: about how many
        offsets a batch has at most, shared among the partitions by what each has left.

        Raises `InputMissing`, `OffsetError`, `ConfigError`, `RecordsLost`, and what the log and the inputs raise.
        """
        bounds = self._bounds()
        self._start(bounds, take_over(sorted(bounds)), commit)
        ends = {each: found.stop for each, found in bounds.items()} if interval is None else {}
        while not stopping.is_set():
            bounds = self._bounds()
            is_live, is_added = self._has_live_requests(), not bounds.keys() <= {*self._partitions}
            if is_live or (is_added and interval is not None) or self._topic_ids != self._started_ids:
                commit(SteeredBatch(self._name, self._batch, {}, self._places))  # an overtaken copy ends here
                self._start(bounds, Committed(self._batch, self._places), commit, fans_out=is_live)
                continue
            batch = self._next_batch(bounds, most, ends)
            if batch is not None:
                yield batch
            elif interval is None:
                return
            else:
                stopping.wait(interval)

    def _start(
        self, bounds: Bounds, committed: Committed, commit: Callable[[SteeredBatch], None], *, fans_out: bool = True
    ) -> None:
        """Commit and record where each partition starts, before any record is read."""
        self._partitions = sorted(bounds)
        known_ids = {key: value for key, value in self._record.config.items() if key.startswith(f"{TOPIC_ID}.")}
        recreated = {key for key, value in self._topic_ids.items() if known_ids.get(key, value) != value}
        self._record.declare({**self._given_config, **self._topic_ids, **known_ids})
        starts = self._starting_places(committed.places, recreated, fans_out=fans_out)
        left = {each: place for each, place in committed.places.items() if _id_key(stream_of(each)) not in recreated}
        places = {**left, **starts}
        start = SteeredBatch(self._name, committed.batch + (places != committed.places), {}, places)
        if start.number != committed.batch:
            commit(start)
        self._record.declare({**self._given_config, **known_ids, **self._topic_ids})
        self._started_ids = {**self._topic_ids}
        self.record(start)

    def _starting_places(self, committed: Places, recreated: Collection[str], *, fans_out: bool) -> Places:
        """Where each partition starts: startpoint, then what the sink has committed, else checkpoint or default.

        ``fans_out``: requested startpoints are followed. A partition that was added to a stream starts at its oldest
        offset. ``recreated``: keys of `TOPIC_ID` of topics that were deleted and created again; raises `RecordsLost`
        for a place in one of them.
        """
        partitions = self._partitions
        self._record.assign({self.task_name: partitions})
        startpoints: Mapping[SystemStreamPartition, Startpoint] = {}
        if fans_out:
            requests = self._requests()
            self._record.startpoints.fan_out({self.task_name: partitions})
            self._left_requests = requests & self._requests()  # not those that others have written meanwhile
            startpoints = self._record.startpoints.get_fan_out_for_task(self.task_name)
        self._followed = {each: one for each, one in startpoints.items() if each in partitions}
        offsets = _processed(committed) if committed else self._checkpoint()
        known = set(map(stream_of, offsets))
        added = {each: StartpointOldest(0) for each in partitions if each not in offsets and stream_of(each) in known}
        assigned = [
            AssignedPartition(self.task_name, each, offsets.get(each), startpoints.get(each, added.get(each)))
            for each in partitions
        ]
        starts, refused = resolve_starts(self._record.config, self._admins, assigned)
        for (task, each), start in starts.items():
            is_place = str(start - 1) == offsets.get(each) and (each not in startpoints or (task, each) in refused)
            if is_place and start and _id_key(stream_of(each)) in recreated:
                raise RecordsLost(each, start, "its topic was deleted and created again")
        return {each: start for (_, each), start in starts.items()}

    def _next_batch(self, bounds: Bounds, most: int, ends: Places) -> SteeredBatch | None:
        """The next records; None: no news. ``ends``: before which offset to stop in a partition, if not at its end."""
        left = {each: self._left(each, bounds[each], ends) for each in self._partitions if each in bounds}
        total = sum(left.values())
        shares = {each: count if total <= most else -(-count * most // total) for each, count in left.items() if count}
        ranges = {each: range(first := self._places[each], first + count) for each, count in shares.items()}
        moved = {each: offsets.stop for each, offsets in ranges.items()}
        return SteeredBatch(self._name, self._batch + 1, ranges, {**self._places, **moved}) if ranges else None

    def _left(self, partition: SystemStreamPartition, found: range, ends: Places) -> int:
        next_offset = self._places[partition]
        if not found.start <= next_offset <= found.stop:
            raise RecordsLost(partition, next_offset, f"it has only offsets from {found.start} to before {found.stop}")
        return max(0, min(found.stop, ends.get(partition, found.stop)) - next_offset)

    @property
    def _name(self) -> str:
        return f"{self.job_name}/{self.job_id}"

    def record(self, batch: SteeredBatch) -> None:
        """Write the checkpoint of a batch that the sink has committed; after a start, consume what it has followed.

        Nothing has been read since then, so that a start after a crash may follow the same startpoints again.
        """
        self._batch, self._places = batch.number, batch.places
        offsets = _processed({each: batch.places[each] for each in self._partitions})
        if batch.ranges or self._checkpoint() != offsets:
            self._record.checkpoints.write_checkpoint(self.task_name, CheckpointV1(offsets))
        if self._followed:
            self._record.startpoints.remove_consumed_fan_out(self.task_name, self._followed)
            self._followed = {}

    def _has_live_requests(self) -> bool:
        """Whether startpoints were requested since the last start, and the job's config says to follow them."""
        return boolean(self._record.config, LIVE_STARTPOINTS, default=False) and self._requests() != self._left_requests

    def _requests(self) -> set[tuple[str, bytes]]:
        return {(name.key, value) for name, value in self._record.store.all(REQUESTS).items()}

    def _bounds(self) -> Bounds:
        found: dict[SystemStreamPartition, range] = {}
        for system, admin in self._admins.items():
            streams = sorted(stream for one, stream in self._inputs if one == system)
            for stream, known in admin.get_system_stream_metadata(streams).items():
                if known.topic_id is not None:
                    self._topic_ids[_id_key((system, stream))] = known.topic_id
                for number, each in known.partitions.items():
                    offsets = range(int(each.oldest_offset or 0), int(each.upcoming_offset or 0))
                    found[SystemStreamPartition(system, stream, number)] = offsets
        return found

    def _checkpoint(self) -> dict[SystemStreamPartition, str]:
        found = self._record.checkpoints.read_last_checkpoint(self.task_name)
        return {} if found is None else {each: offset for each, offset in found.offsets.items() if offset is not None}


def _id_key(stream: Stream) -> str:
    return ".".join((TOPIC_ID, *stream))


def _processed(places: Places) -> dict[SystemStreamPartition, str]:
    """The last processed offset of each partition; -1 before the first record."""
    return {each: str(next_offset - 1) for each, next_offset in places.items()}


class OpenJob(NamedTuple):
    """A steered job whose log and inputs are open; ``brokers`` are by the job's names of its systems."""

    steered: SteeredJob
    brokers: Mapping[str, KafkaOptions]
