"""Commits the checkpoints of a job as offsets of a consumer group."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from coordstream.cli.bridge.checkpoints import PartitionCheckpoint, Positions, read_checkpoints, read_positions
from coordstream.cli.bridge.clusters import Clusters, Failure, by_cluster
from coordstream.cli.input_system import Config, is_kafka, read_input_config
from coordstream.queries.rows import Row
from eventlog.errors import EventLogError
from eventlog.kafka.consumer_groups import GroupOffset, GroupPartition, Refusals
from eventlog.kafka.options import KafkaOptions
from eventlog.postgres.connection import Connection
from projections.job_choice import Job

if TYPE_CHECKING:  # loads kafka-python
    from eventlog.kafka.consumer_groups import ConsumerGroups

COLUMNS: Final = (
    *("job_name", "job_id", "group_id", "system_name", "stream_name", "partition_id", "task_name", "input_offset"),
    *("previous_offset", "group_offset", "outcome", "reason"),
)
_CHANGED: Final = "somebody else set the offset of the group"
_OTHER_JOB: Final = "the offset of the group is that of another job"

Wanted = Mapping[GroupPartition, PartitionCheckpoint]


@dataclass(frozen=True)
class BridgeOptions:
    """How to commit. ``group_id`` None: the group that is named after the job."""

    group_id: str | None = None
    overwrite: bool = False
    dry_run: bool = False
    servers: str | None = None

    def group_of(self, job: Job) -> str:
        """The name of the group of a job."""
        return self.group_id or f"samza.{job.name}.{job.id}"


@dataclass
class JobBridge:
    """The consumer group of a job. Each event is committed once, so that the group commits when the tasks do."""

    job: Job
    options: BridgeOptions
    faults: Sequence[str] = ()
    """What the last call that read an event could not do, in sentences."""
    has_failed: bool = False
    """Whether the last call that read an event could not commit an offset."""
    _positions: Positions = ()
    _committed: dict[tuple[KafkaOptions, GroupPartition], object] = field(default_factory=dict)

    @property
    def group_id(self) -> str:
        """The name of the group."""
        return self.options.group_of(self.job)

    def commit(self, connection: Connection, clusters: Clusters) -> list[Row]:
        """Commit what has changed since the last call. Return a row per partition, or none if no event was read.

        What failed is tried again by the next call.
        """
        positions = read_positions(connection, self.job)
        if positions == self._positions:
            return []
        config = read_input_config(connection, self.job)
        found = by_cluster(config, read_checkpoints(connection, self.job), self.options.servers)
        rows = [row for cluster, each in found.items() for row in self._rows(clusters, config, cluster, each)]
        self.has_failed = any(row["outcome"] == "failed" for row in rows)
        self._positions = () if self.has_failed else positions
        self.faults = faults(self.job, self.group_id, rows)
        return rows

    def _rows(
        self, clusters: Clusters, config: Config, cluster: KafkaOptions | Failure, found: Sequence[PartitionCheckpoint]
    ) -> list[Row]:
        if isinstance(cluster, str):
            return [
                self._row(one, outcome="failed" if is_kafka(config, one.system_name) else "skipped", reason=cluster)
                for one in found
            ]
        try:
            return self._commit_to(clusters.groups(cluster), cluster, found)
        except EventLogError as error:
            clusters.give_up(cluster, error)
            return [self._row(one, outcome="failed", reason=str(error)) for one in found]

    def _commit_to(
        self, groups: "ConsumerGroups", cluster: KafkaOptions, found: Sequence[PartitionCheckpoint]
    ) -> list[Row]:
        before = groups.offsets(self.group_id)
        wanted = furthest_behind(found)
        kept = {
            each
            for each in wanted
            if not self.options.overwrite and is_changed(self.job, before.get(each), wanted[each])
        }
        new = {
            each: one
            for each, one in wanted.items()
            if each not in kept and self._committed.get((cluster, each)) != one.event
        }
        read = {(one.stream_name, one.partition_id) for one in found}
        stale = [each for each, offset in before.items() if is_own(self.job, offset) and each not in read]
        refusals = {} if self.options.dry_run else self._change(groups, new, stale)
        self._committed |= {(cluster, each): one.event for each, one in new.items() if each not in refusals}
        rows = [self._describe(one, before, kept, new, refusals) for one in found]
        return rows + [self._deletion_row(each, before[each], refusals.get(each)) for each in stale]

    def _change(self, groups: "ConsumerGroups", new: Wanted, stale: Sequence[GroupPartition]) -> Refusals:
        """Commit and delete offsets, and return why partitions were refused."""
        refusals: Refusals = {}
        if new:
            refusals = groups.commit(self.group_id, {each: own_offset(self.job, one) for each, one in new.items()})
        if not stale:
            return refusals
        try:
            return {**refusals, **groups.delete(self.group_id, stale)}
        except EventLogError as error:  # a user who may commit need not be allowed to delete
            return {**refusals, **dict.fromkeys(stale, str(error))}

    def _describe(
        self,
        one: PartitionCheckpoint,
        before: Mapping[GroupPartition, GroupOffset],
        kept: Iterable[GroupPartition],
        new: Wanted,
        refusals: Refusals,
    ) -> Row:
        each = (one.stream_name, one.partition_id)
        previous = before[each].next_offset if each in before else None
        if one.next_offset is None:
            reason = "no checkpoint" if one.input_offset is None else "the checkpoint's offset is not a number"
            return self._row(one, previous, outcome="skipped", reason=reason)
        if each in kept:
            reason = _OTHER_JOB if is_of_other_job(self.job, before[each]) else _CHANGED
            return self._row(one, previous, previous, outcome="kept", reason=reason)
        if each in refusals:
            return self._row(one, previous, outcome="failed", reason=refusals[each])
        if new.get(each) is not one:
            return self._row(one, previous, previous, outcome="unchanged")
        return self._row(one, previous, one.next_offset, outcome="committed")

    def _deletion_row(self, each: GroupPartition, before: GroupOffset, refused: str | None) -> Row:
        stream_name, partition_id = each
        gone = PartitionCheckpoint("", stream_name, partition_id, "", None, None, None, None)
        reason = "no task reads the partition" if refused is None else refused
        outcome = "deleted" if refused is None else "failed"
        row = self._row(gone, before.next_offset, outcome=outcome, reason=reason)
        return row | {"system_name": None, "task_name": None}

    def _row(
        self,
        one: PartitionCheckpoint,
        previous: int | None = None,
        group_offset: int | None = None,
        *,
        outcome: str,
        reason: str | None = None,
    ) -> Row:
        place = (one.system_name, one.stream_name, one.partition_id, one.task_name, one.input_offset)
        values = (*self.job, self.group_id, *place, previous, group_offset, outcome, reason)
        return dict(zip(COLUMNS, values, strict=True))


def furthest_behind(found: Iterable[PartitionCheckpoint]) -> dict[GroupPartition, PartitionCheckpoint]:
    """The checkpoints with an offset by partition. Of two systems with the same cluster, the lower offset counts."""
    wanted: dict[GroupPartition, PartitionCheckpoint] = {}
    known = [one for one in found if one.next_offset is not None]
    for one in sorted(known, key=lambda one: one.next_offset or 0):
        wanted.setdefault((one.stream_name, one.partition_id), one)
    return wanted


def own_offset(job: Job, one: PartitionCheckpoint) -> GroupOffset:
    """The offset to commit, with a text by which it is recognized."""
    number = one.next_offset or 0
    return GroupOffset(number, own_text(job, number))


def own_text(job: Job, next_offset: int) -> str:
    """The text of an offset that coordstream commits for a job. Two jobs in one group keep each other's offsets."""
    return f"coordstream {job.name} {job.id} {next_offset}"


def is_own(job: Job, offset: GroupOffset) -> bool:
    """Whether coordstream has committed an offset for a job. A tool that resets a group may keep the text before."""
    return offset.metadata == own_text(job, offset.next_offset)


def is_of_other_job(job: Job, offset: GroupOffset) -> bool:
    """Whether coordstream has committed an offset for another job, which is bridged to the same group."""
    text, number = offset.metadata, f" {offset.next_offset}"
    return text.startswith("coordstream ") and text.endswith(number) and text.count(" ") > 2 and not is_own(job, offset)


def is_changed(job: Job, before: GroupOffset | None, one: PartitionCheckpoint | None) -> bool:
    """Whether an offset is that of another job, or somebody else has committed it and it is not that of the checkpoint.

    At an equal offset there is nothing to keep: a job that was rewound to a reset of its group goes on from there.
    """
    if before is None or is_own(job, before):
        return False
    return one is None or before.next_offset != one.next_offset or is_of_other_job(job, before)


def faults(job: Job, group_id: str, rows: Sequence[Row]) -> list[str]:
    """A sentence for each reason why partitions failed, and one if offsets of others were kept."""
    reasons = dict.fromkeys(row["reason"] for row in rows if row["outcome"] == "failed")
    sentences = [f"{job}: {reason}" for reason in reasons]
    if not rows:
        sentences.append(f"{job} has no tasks with inputs.")
    if others := sum(row["reason"] == _OTHER_JOB for row in rows):
        sentences.append(
            f"{job}: {others} of {len(rows)} offsets of the group {group_id} are those of another job, and kept. "
            "Use another group (--group)."
        )
    if kept := sum(row["reason"] == _CHANGED for row in rows):
        sentences.append(
            f"{job}: {kept} of {len(rows)} offsets of the group {group_id} were set by others, and kept. "
            "Use --import-reset to plan a rewind to them, or --overwrite to commit the checkpoints."
        )
    return sentences
