"""Turns a reset of a job's consumer group by Kafka's tools into the plan of a rewind."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from coordstream.cli.bridge.checkpoints import PartitionCheckpoint, read_checkpoints
from coordstream.cli.bridge.clusters import Clusters, by_cluster
from coordstream.cli.bridge.commit import BridgeOptions, furthest_behind, is_changed, is_of_other_job, own_text
from coordstream.cli.input_system import read_input_config
from coordstream.cli.job.startpoint_job import StartpointJob
from coordstream.cli.positions import Input
from coordstream.cli.rewind.plan_rewind import plan_rewind
from coordstream.cli.rewind.selection import Selection
from coordstream.database import open_database
from coordstream.errors import CoordstreamError
from eventlog.kafka.consumer_groups import GroupOffset, GroupPartition
from eventlog.kafka.options import KafkaOptions
from eventlog.partition import SystemStreamPartition
from managers.rewind.rewind_plan import RewindPlan
from managers.rewind.rewind_targets import to_partition_offsets
from projections.job_choice import Job, find_job


@dataclass
class Reset:
    """The offsets of a group that somebody else than coordstream has set, by input partition and by cluster."""

    job: Job
    group_id: str
    offsets: dict[SystemStreamPartition, int] = field(default_factory=dict)
    by_cluster: dict[KafkaOptions, dict[GroupPartition, GroupOffset]] = field(default_factory=dict)

    def add(
        self,
        cluster: KafkaOptions,
        checkpoints: Sequence[PartitionCheckpoint],
        committed: Mapping[GroupPartition, GroupOffset],
    ) -> None:
        """Add the offsets on a cluster that are not those of the checkpoints, nor of another job in the group."""
        expected = furthest_behind(checkpoints)
        for one in checkpoints:
            each = (one.stream_name, one.partition_id)
            before = committed.get(each)
            if before and is_changed(self.job, before, expected.get(each)) and not is_of_other_job(self.job, before):
                partition = SystemStreamPartition(one.system_name, *each)
                self.offsets[partition] = before.next_offset
                self.by_cluster.setdefault(cluster, {})[each] = before


def read_reset(word: str, options: BridgeOptions, clusters: Clusters) -> Reset:
    """What others have set in the group of a job that a word names.

    Raises:
        UnknownJob: no job has the name, or several have it.
        CoordstreamError: no offset that others have set was found; the cluster of an input may be unknown.
        SourceUnavailable: a cluster does not answer.
    """
    with open_database() as database:
        job = find_job(database.connection, word)
        config = read_input_config(database.connection, job)
        found = by_cluster(config, read_checkpoints(database.connection, job), options.servers)
    reset = Reset(job, options.group_of(job))
    failures = [cluster for cluster in found if isinstance(cluster, str)]
    for cluster, checkpoints in found.items():
        if not isinstance(cluster, str):
            reset.add(cluster, checkpoints, clusters.groups(cluster).offsets(reset.group_id))
    if not reset.offsets and failures:
        raise CoordstreamError(f"Cannot read the offsets of the group {reset.group_id}. {' '.join(failures)}")
    if not reset.offsets:
        raise CoordstreamError(f"Nobody has reset the group {reset.group_id}: it has no offsets that others have set.")
    return reset


def plan_reset(found: StartpointJob, reset: Reset, servers: str | None) -> RewindPlan:
    """The plan to start the job's tasks from the offsets of the group. Raises as `plan_rewind`."""
    target = to_partition_offsets(f"the offsets of the group {reset.group_id}", reset.offsets)
    inputs = [str(Input(each.system, each.stream, (each.partition,))) for each in reset.offsets]
    return plan_rewind(found, lambda _inputs, _positions: target, Selection(inputs), servers=servers)


def acknowledge_reset(reset: Reset, clusters: Clusters) -> None:
    """Commit the offsets again as our own, so that later commits replace them."""
    for cluster, offsets in reset.by_cluster.items():
        own: Mapping[GroupPartition, GroupOffset] = {
            each: GroupOffset(offset.next_offset, own_text(reset.job, offset.next_offset))
            for each, offset in offsets.items()
        }
        clusters.groups(cluster).commit(reset.group_id, own)
