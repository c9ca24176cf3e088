"""`coordstream consumer-groups`: commits the checkpoints of jobs as offsets of consumer groups."""

from collections.abc import Sequence
from contextlib import ExitStack, suppress
from time import sleep
from typing import Annotated, Final

import typer
from psycopg import sql

from coordstream.cli.arguments import InputServers, Json, Watch
from coordstream.cli.job_selection import ALL_RETIRED, All, Jobs, expected_jobs, require_selection
from coordstream.cli.output import Column, fail_if, print_rows
from coordstream.database import DatabaseUnreachable, open_database
from coordstream.errors import note
from coordstream.input_system import input_options, is_kafka, read_input_configs
from coordstream.queries.rows import Row, fetch, job_values
from eventlog.errors import EventLogError
from eventlog.kafka.consumer_groups import ConsumerGroups, GroupOffset, GroupPartition
from eventlog.kafka.options import KafkaOptions
from eventlog.postgres.connection import Connection
from eventlog.source import CredentialsRefused, SourceUnavailable
from projections.job_choice import Job

app = typer.Typer()

COLUMNS: Final = (
    Column("group", "group_id"),
    Column("input", lambda row: f"{row['stream_name']}.{row['partition_id']}"),
    Column("task", "task_name", drop=2),
    Column("checkpoint", "input_offset", "right", drop=3),
    Column("before", "previous_offset", "right", drop=1),
    Column("offset", "group_offset", "right"),
    Column("outcome", "outcome", no_wrap=True),
    Column("why", "reason"),
)
_CHANGED: Final = "somebody else has set the offset of the group, so it is kept; use --overwrite to replace it"

# Several tasks read a partition if it is broadcast, or split by keys. The offset of the group is the one to commit.
_CHECKPOINTS: Final = sql.SQL("""
select distinct on (s.system_name, s.stream_name, s.partition_id)
  s.job_name, s.job_id, %(group)s::text as group_id, s.system_name, s.stream_name, s.partition_id, s.task_name,
  c.input_offset, null::bigint as previous_offset, projection.next_offset(c.input_offset_number) as group_offset,
  null as outcome, null as reason
from coordinator.starting_offset s
left join coordinator.checkpoint c
  using (job_name, job_id, task_name, system_name, stream_name, partition_id, key_bucket)
where s.job_name = %(name)s and s.job_id = %(id)s
order by s.system_name, s.stream_name, s.partition_id, c.input_offset_number, c.input_offset, s.task_name
""")
_POSITIONS: Final = """
select j.log_id, p.next_offset
from projection.job_log j join projection.position p using (log_id)
where j.job_name = %s and j.job_id = %s and j.is_current order by 1
"""


@app.command("consumer-groups")
def consumer_groups(
    jobs: Jobs = None,
    every: All = False,
    watch: Watch = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Also replace offsets that somebody else has set, such as a reset.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be committed, and exit.")] = False,
    servers: InputServers = None,
    as_json: Json = False,
) -> None:
    """Commit the checkpoints of jobs as offsets of consumer groups, for kafka-consumer-groups and similar tools.

    Example: coordstream consumer-groups --all --watch 5s

    The group of a job is samza.NAME.ID, on the Kafka clusters of its inputs. An offset is the next record to process;
    if several tasks read a partition, the task furthest behind decides. Jobs do not read these offsets.

    A group with running consumers is refused. An offset that somebody else has set is kept, and the exit code is 1.
    """
    require_selection(jobs, every=every)
    if watch is not None and (dry_run or as_json):
        raise typer.BadParameter("'--watch' cannot be used with '--dry-run' or '--json'.")
    with Committer(servers, overwrite=overwrite, dry_run=dry_run) as committer:
        if watch is not None:
            _watch(jobs or (), committer, watch)
            return
        with open_database() as database:
            chosen = expected_jobs(database.connection, jobs or ())
            rows = [row for job in chosen for row in committer.commit(database.connection, job)]
    title = "Offsets that would be committed" if dry_run else "Committed offsets"
    print_rows(rows, COLUMNS, title=title, as_json=as_json)
    note("" if chosen else ALL_RETIRED)
    fail_if(faults(rows))


def _watch(words: Sequence[str], committer: "Committer", seconds: float) -> None:
    """Commit what has changed, again and again, and report faults and their end."""
    done: dict[Job, object] = {}
    reported: list[str] = []
    note(f"Committing checkpoints every {seconds:g} s.")
    with suppress(KeyboardInterrupt):  # the way to end it
        while True:
            found = _commit_changed(words, committer, done)
            for sentence in found:
                note("" if sentence in reported else sentence)
            if reported and not found:
                note("The offsets are committed again.")
            reported = found
            sleep(seconds)


def _commit_changed(words: Sequence[str], committer: "Committer", done: dict[Job, object]) -> list[str]:
    """Commit for the jobs whose logs have grown since they were ``done``, and return the faults of the others."""
    found: list[str] = []
    committer.silent.clear()
    try:
        with open_database(warns=False) as database:
            for job in expected_jobs(database.connection, words):
                positions = database.connection.execute(_POSITIONS, tuple(job)).fetchall()
                if done.get(job) != positions:
                    of_job = faults(committer.commit(database.connection, job))
                    done[job] = None if of_job else positions
                    found += of_job
    except DatabaseUnreachable as error:
        found.append(str(error))
    return found


def faults(rows: Sequence[Row]) -> list[str]:
    """A sentence for each reason why a job's offsets were not committed."""
    faulty = [row for row in rows if row["outcome"] in ("failed", "kept")]
    return list(dict.fromkeys(f"{row['job_name']}/{row['job_id']}: {row['reason']}" for row in faulty))


class Committer(ExitStack):
    """Commits checkpoints over one connection for each Kafka cluster. A context manager."""

    def __init__(self, servers: str | None = None, *, overwrite: bool = False, dry_run: bool = False) -> None:
        super().__init__()
        self._servers, self._overwrite, self._dry_run = servers, overwrite, dry_run
        self._groups: dict[KafkaOptions, ConsumerGroups] = {}
        self.silent: dict[KafkaOptions, SourceUnavailable] = {}
        """The clusters that did not answer: other jobs need not wait for them."""

    def commit(self, connection: Connection, job: Job) -> list[Row]:
        """Commit the checkpoints of a job, and return a row per partition: that of the task that is furthest behind."""
        config = read_input_configs(connection, [job])[job]
        rows = fetch(connection, _CHECKPOINTS, {**job_values(job), "group": f"samza.{job.name}.{job.id}"})
        rows_of: dict[KafkaOptions, list[Row]] = {}
        for row in rows:
            system = row["system_name"]
            if not is_kafka(config, system):
                _end(row, "skipped", f"System {system} is not Kafka.")
                continue
            try:
                rows_of.setdefault(input_options(config, system, self._servers), []).append(row)
            except EventLogError as error:
                _end(row, "failed", str(error))
        for cluster, of_cluster in rows_of.items():
            try:
                self._commit_to(cluster, of_cluster)
            except EventLogError as error:
                if isinstance(error, SourceUnavailable) and not isinstance(error, CredentialsRefused):
                    self.silent[cluster] = error
                for row in of_cluster:
                    _end(row, "failed", str(error))
        return rows

    def groups(self, options: KafkaOptions) -> ConsumerGroups:
        """The groups of a cluster; connects when first used. Raises SourceUnavailable if the cluster did not answer."""
        if options in self.silent:
            raise self.silent[options]
        if options not in self._groups:
            self._groups[options] = self.enter_context(ConsumerGroups(options))
        return self._groups[options]

    def _commit_to(self, cluster: KafkaOptions, rows: Sequence[Row]) -> None:
        groups, group_id = self.groups(cluster), rows[0]["group_id"]
        before = groups.offsets(group_id)
        for row in rows:
            found = before.get(_partition(row))
            _end(row, *self._decide(row, found), before=found)
        offsets = {
            _partition(row): GroupOffset(row["group_offset"], _own_text(row["group_offset"]))
            for row in rows
            if row["outcome"] == "committed"
        }
        refused = groups.commit(group_id, offsets) if offsets and not self._dry_run else {}
        for row in rows:
            if (reason := refused.get(_partition(row))) is not None:
                row.update(outcome="failed", reason=reason, group_offset=None)

    def _decide(self, row: Row, before: GroupOffset | None) -> tuple[str, str | None]:
        """The outcome for a partition, and its reason. Another's offset is kept, unless the checkpoint is there too."""
        offset = row["group_offset"]
        if offset is None:
            no_offset = "no checkpoint" if row["input_offset"] is None else "the checkpoint's offset is not a number"
            return "skipped", no_offset
        if before is None or self._overwrite:
            return "committed", None
        if before.metadata == _own_text(before.next_offset):  # a tool that resets a group may keep the text before
            return "unchanged" if before.next_offset == offset else "committed", None
        return ("committed", None) if before.next_offset == offset else ("kept", _CHANGED)


def _end(row: Row, outcome: str, reason: str | None, before: GroupOffset | None = None) -> None:
    """Set what became of a partition; ``before`` is the previous offset of the group."""
    previous = None if before is None else before.next_offset
    new = {"committed": row["group_offset"], "kept": previous, "unchanged": previous}.get(outcome)
    row.update(outcome=outcome, reason=reason, previous_offset=previous, group_offset=new)


def _partition(row: Row) -> GroupPartition:
    return row["stream_name"], row["partition_id"]


def _own_text(next_offset: int) -> str:
    """The text of an offset that coordstream commits."""
    return f"coordstream {next_offset}"
