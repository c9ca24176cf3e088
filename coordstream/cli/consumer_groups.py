"""`coordstream consumer-groups`: commits the checkpoints of jobs as offsets of consumer groups."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from time import sleep
from typing import Annotated, Final, NamedTuple

import typer
from psycopg.rows import class_row

from coordstream.cli.arguments import Csv, InputServers, Json, parse_duration
from coordstream.cli.input_system import Config, input_options, is_kafka, read_input_config
from coordstream.cli.job.selection import ALL_RETIRED, All, Jobs, expected_jobs, require_selection
from coordstream.cli.output import Column, print_rows
from coordstream.database import DatabaseUnreachable, open_database
from coordstream.messages import note
from coordstream.queries.rows import Row, Rows, input_partition
from eventlog.errors import EventLogError
from eventlog.kafka.consumer_groups import ConsumerGroups, GroupOffset, GroupPartition, Refusals
from eventlog.kafka.options import KafkaOptions
from eventlog.postgres.connection import Connection
from eventlog.source import CredentialsRefused, SourceUnavailable
from projections.job_choice import Job

app = typer.Typer(no_args_is_help=True)

ROW: Final = (
    *("job_name", "job_id", "group_id", "system_name", "stream_name", "partition_id", "task_name", "input_offset"),
    *("previous_offset", "group_offset", "outcome", "reason"),
)
COLUMNS: Final = (
    Column("group", "group_id"),
    Column("input", lambda row: input_partition(row) if row["system_name"] else _partition(row)),
    Column("task", "task_name", drop=2),
    Column("checkpoint", "input_offset", "right", drop=3),
    Column("before", "previous_offset", "right", drop=1),
    Column("offset", "group_offset", "right"),
    Column("outcome", "outcome", no_wrap=True),
    Column("why", "reason"),
)
_CHANGED: Final = "somebody else has set the offset of the group"
_OTHER_JOB: Final = "another job has the offset of the group"
_KEPT: Final = {
    _CHANGED: "Use `rewind plan` to start the job from them, or --overwrite to commit the checkpoints.",
    _OTHER_JOB: "Use another group (--group).",
}

# several tasks read a partition if it is broadcast, or split by keys
_CHECKPOINTS: Final = """
select distinct on (s.system_name, s.stream_name, s.partition_id)
  s.system_name, s.stream_name, s.partition_id, s.task_name, c.input_offset, c.input_offset_number
from coordinator.starting_offset s
left join coordinator.checkpoint c
  using (job_name, job_id, task_name, system_name, stream_name, partition_id, key_bucket)
where s.job_name = %s and s.job_id = %s
order by s.system_name, s.stream_name, s.partition_id, c.input_offset_number, c.input_offset, s.task_name
"""
_POSITIONS: Final = """
select j.log_id, p.next_offset
from projection.job_log j join projection.position p using (log_id)
where j.job_name = %s and j.job_id = %s and j.is_current order by 1
"""


def _partition(row: Row) -> str:
    """The partition of a topic that no task reads: its system is unknown."""
    return f"{row['stream_name']}.{row['partition_id']}"


class PartitionCheckpoint(NamedTuple):
    """The last processed offset of an input partition.

    Of several tasks that read the partition, it is that of the task that is furthest behind. ``input_offset`` is None
    if none of them has a checkpoint. ``input_offset_number`` is None also if the offset is not a number.
    """

    system_name: str
    stream_name: str
    partition_id: int
    task_name: str | None
    input_offset: str | None
    input_offset_number: int | None

    @property
    def next_offset(self) -> int | None:
        """The offset after the last processed one, as consumers commit it; None if it is unknown."""
        number = self.input_offset_number
        return None if number is None or number < -1 else number + 1

    @property
    def partition(self) -> GroupPartition:
        """The topic and the partition."""
        return self.stream_name, self.partition_id


class Options(NamedTuple):
    """How to commit. ``group_id`` None: the group that is named after the job."""

    group_id: str | None = None
    overwrite: bool = False
    dry_run: bool = False
    servers: str | None = None

    def group_of(self, job: Job) -> str:
        """The name of the group of a job."""
        return self.group_id or f"samza.{job.name}.{job.id}"


@app.command("consumer-groups")
def consumer_groups(
    jobs: Jobs = None,
    every: All = False,
    watch: Annotated[
        float | None,
        typer.Option("--watch", metavar="DURATION", parser=parse_duration, help="Repeat this often, until Ctrl-C."),
    ] = None,
    group: Annotated[
        str | None,
        typer.Option("--group", metavar="GROUP", help="Commit to this group, not samza.NAME.ID; only with one JOB."),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Also replace offsets that somebody else has set, such as a reset.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be committed, and exit.")] = False,
    servers: InputServers = None,
    as_json: Json = False,
    as_csv: Csv = False,
) -> None:
    """Commit the checkpoints of jobs as offsets of consumer groups, for kafka-consumer-groups and similar tools.

    Example: coordstream consumer-groups --all --watch 5s

    The group of a job is samza.NAME.ID, on the Kafka clusters of its inputs. An offset is that of the next
    record to process; if several tasks read a partition, it is that of the task that is furthest behind. Jobs do not
    read these offsets.

    A group with running consumers is refused. An offset that somebody else has set is kept, and the exit code is 1.
    """
    require_selection(jobs, every=every)
    if group is not None and (every or len(set(jobs or ())) != 1):
        raise typer.BadParameter("'--group' needs the name of exactly one job.")
    if watch is not None and (dry_run or as_json or as_csv):
        raise typer.BadParameter("'--watch' cannot be used with '--dry-run', '--json' or '--csv'.")
    options = Options(group, overwrite, dry_run, servers)
    if watch is not None:
        _watch(jobs or (), options, watch)
        return
    with open_database() as database, Clusters() as clusters:
        chosen = expected_jobs(database.connection, jobs or ())
        rows = Rows(ROW, [row for job in chosen for row in commit(database.connection, clusters, job, options)])
    title = "Offsets that would be committed" if dry_run else "Committed offsets"
    print_rows(rows, COLUMNS, title=title, as_json=as_json, as_csv=as_csv)
    found = faults(chosen, rows)
    for sentence in found if chosen else [ALL_RETIRED]:
        note(sentence)
    if found:
        raise typer.Exit(1)


def _watch(words: Sequence[str], options: Options, seconds: float) -> None:
    """Commit what has changed, again and again, and report faults and their end."""
    known: dict[Job, object] = {}
    reported: set[str] = set()
    note(f"Committing checkpoints every {seconds:g} s.")
    with Clusters() as clusters:
        while True:
            now = _commit_changed(words, options, clusters, known)
            for sentence in sorted(now.difference(reported)):
                note(sentence)
            if reported and not now:
                note("The offsets are committed again.")
            reported = now
            clusters.silent.clear()
            try:
                sleep(seconds)
            except KeyboardInterrupt:  # the way to end it
                return


def _commit_changed(words: Sequence[str], options: Options, clusters: "Clusters", known: dict[Job, object]) -> set[str]:
    """Commit for the jobs whose logs have grown, and return a sentence for each fault of now or before.

    ``known`` has the positions and the faults of each job: a job with a fault of a cluster is tried again.
    """
    found: set[str] = set()
    try:
        with open_database(warns=False) as database:
            for job in expected_jobs(database.connection, words):
                positions = database.connection.execute(_POSITIONS, tuple(job)).fetchall()
                if known.get(job) == positions:
                    continue
                rows = commit(database.connection, clusters, job, options)
                of_job = faults([job], rows)
                found.update(of_job)
                if not of_job:
                    known[job] = positions
    except DatabaseUnreachable as error:
        found.add(str(error))
    return found


class Clusters(ExitStack):
    """Connections to Kafka clusters, one for all jobs. A context manager."""

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[KafkaOptions, ConsumerGroups] = {}
        self.silent: dict[KafkaOptions, SourceUnavailable] = {}
        """The clusters that did not answer: other jobs need not wait for them."""

    def groups(self, options: KafkaOptions) -> ConsumerGroups:
        """The groups of a cluster; connects when first used. Raises SourceUnavailable if the cluster did not answer."""
        if options in self.silent:
            raise self.silent[options]
        if options not in self._known:
            self._known[options] = self.enter_context(ConsumerGroups(options))
        return self._known[options]


def commit(connection: Connection, clusters: Clusters, job: Job, options: Options) -> list[Row]:
    """Commit the checkpoints of a job, and return a row per partition."""
    config = read_input_config(connection, job)
    with connection.cursor(row_factory=class_row(PartitionCheckpoint)) as cursor:
        checkpoints = cursor.execute(_CHECKPOINTS, tuple(job)).fetchall()
    rows: list[Row] = []
    by_cluster: dict[KafkaOptions | str, list[PartitionCheckpoint]] = {}
    systems = {one.system_name for one in checkpoints}
    of_system = {system: _cluster(config, system, options.servers) for system in systems}
    for one in checkpoints:
        by_cluster.setdefault(of_system[one.system_name], []).append(one)
    for cluster, found in by_cluster.items():
        if isinstance(cluster, str):
            outcomes = {one: "failed" if is_kafka(config, one.system_name) else "skipped" for one in found}
            rows += [_row(job, options, one, outcome=outcome, reason=cluster) for one, outcome in outcomes.items()]
            continue
        try:
            rows += _commit_to(clusters.groups(cluster), job, options, found)
        except EventLogError as error:
            if isinstance(error, SourceUnavailable) and not isinstance(error, CredentialsRefused):
                clusters.silent[cluster] = error
            rows += [_row(job, options, one, outcome="failed", reason=str(error)) for one in found]
    return rows


def faults(jobs: Iterable[Job], rows: Sequence[Row]) -> list[str]:
    """A sentence for each reason why a job's partitions failed, and one if offsets of others were kept."""
    return [sentence for job in jobs for sentence in _faults(job, [row for row in rows if _is_of(row, job)])]


def _cluster(config: Config, system: str, servers: str | None) -> KafkaOptions | str:
    """The cluster of a job's system, or a sentence that says why it is unknown."""
    if not is_kafka(config, system):
        return f"System {system} is not Kafka."
    try:
        return input_options(config, system, servers)
    except EventLogError as error:
        return str(error)


def _commit_to(groups: ConsumerGroups, job: Job, options: Options, found: Sequence[PartitionCheckpoint]) -> list[Row]:
    group_id = options.group_of(job)
    before = groups.offsets(group_id)
    decided = {one: _decide(job, one, before.get(one.partition), overwrite=options.overwrite) for one in found}
    offsets = {
        one.partition: GroupOffset(one.next_offset or 0, _own_text(job, one.next_offset or 0))
        for one, (outcome, _) in decided.items()
        if outcome == "committed"
    }
    read = {one.partition for one in found}
    stale = [each for each, offset in before.items() if each not in read and _is_own(job, offset)]
    refusals = {} if options.dry_run else _change(groups, group_id, offsets, stale)
    rows = []
    for one, (outcome, reason) in decided.items():
        old = before[one.partition].next_offset if one.partition in before else None
        if one.partition in refusals:
            rows.append(_row(job, options, one, old, outcome="failed", reason=refusals[one.partition]))
        else:
            new = {"committed": one.next_offset, "skipped": None}.get(outcome, old)
            rows.append(_row(job, options, one, old, new, outcome=outcome, reason=reason))
    for each in stale:
        gone = PartitionCheckpoint("", *each, None, None, None)
        outcome = "failed" if each in refusals else "deleted"
        reason = refusals.get(each, "no task reads the partition")
        rows.append(_row(job, options, gone, before[each].next_offset, outcome=outcome, reason=reason))
    return rows


def _decide(
    job: Job, one: PartitionCheckpoint, before: GroupOffset | None, *, overwrite: bool
) -> tuple[str, str | None]:
    """The outcome for a partition, and its reason. Another's offset is kept, unless it is that of the checkpoint."""
    if one.next_offset is None:
        return "skipped", "no checkpoint" if one.input_offset is None else "the checkpoint's offset is not a number"
    if before is None or overwrite:
        return "committed", None
    is_equal, is_of_other_job = before.next_offset == one.next_offset, _is_of_other_job(job, before)
    if _is_own(job, before):
        return "unchanged" if is_equal else "committed", None
    if is_equal and not is_of_other_job:
        return "committed", None
    return "kept", _OTHER_JOB if is_of_other_job else _CHANGED


def _change(
    groups: ConsumerGroups,
    group_id: str,
    offsets: Mapping[GroupPartition, GroupOffset],
    stale: Collection[GroupPartition],
) -> Refusals:
    """Commit and delete offsets, and return why partitions were refused."""
    refusals = groups.commit(group_id, offsets) if offsets else {}
    if not stale:
        return refusals
    try:
        return {**refusals, **groups.delete(group_id, stale)}
    except EventLogError as error:  # a user who may commit need not be allowed to delete
        return {**refusals, **dict.fromkeys(stale, str(error))}


def _own_text(job: Job, next_offset: int) -> str:
    """The text of an offset that coordstream commits for a job. Two jobs in one group keep each other's offsets."""
    return f"coordstream {job.name} {job.id} {next_offset}"


def _is_own(job: Job, offset: GroupOffset) -> bool:
    """Whether coordstream has committed an offset for a job. A tool that resets a group may keep the text before."""
    return offset.metadata == _own_text(job, offset.next_offset)


def _is_of_other_job(job: Job, offset: GroupOffset) -> bool:
    """Whether coordstream has committed an offset for another job, to the same group."""
    text = offset.metadata
    is_ours = text.startswith("coordstream ") and text.endswith(f" {offset.next_offset}") and text.count(" ") > 2
    return is_ours and not _is_own(job, offset)


def _row(
    job: Job,
    options: Options,
    one: PartitionCheckpoint,
    previous: int | None = None,
    group_offset: int | None = None,
    *,
    outcome: str,
    reason: str | None = None,
) -> Row:
    place = (one.system_name or None, one.stream_name, one.partition_id, one.task_name, one.input_offset)
    values = (*job, options.group_of(job), *place, previous, group_offset, outcome, reason)
    return dict(zip(ROW, values, strict=True))


def _is_of(row: Row, job: Job) -> bool:
    return (row["job_name"], row["job_id"]) == job


def _faults(job: Job, rows: Sequence[Row]) -> list[str]:
    reasons = dict.fromkeys(row["reason"] for row in rows if row["outcome"] == "failed")
    sentences = [f"{job}: {reason}" for reason in reasons]
    if not rows:
        sentences.append(f"{job} has no tasks with inputs.")
    for reason, advice in _KEPT.items():
        if kept := sum(row["reason"] == reason for row in rows):
            group = rows[0]["group_id"]
            sentences.append(f"{job}: {kept} of {len(rows)} offsets are kept: {reason} {group}. {advice}")
    return sentences
