"""Makes the plan of a rewind: where each task stands, where it is to start, and what that costs."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from psycopg.errors import InvalidParameterValue

from coordstream.cli.positions import parse_input
from coordstream.cli.startpoint_plan import StartpointJob, first_offset
from coordstream.database import open_job
from coordstream.errors import CoordstreamError, note
from coordstream.input_system import JobInputs
from coordstream.queries.rows import job_values, partition_columns
from coordstream.settings import load_settings
from eventlog.log import system_clock
from eventlog.partition import SystemStreamPartition
from eventlog.startpoint import StartingOffset, StartpointTimestamp
from eventlog.timestamps import ms_of
from managers.job_facts import changelogs
from managers.rewind.rewind_plan import Position, RewindError, RewindPlan, Target, moves_of, with_times
from managers.startpoints.next_starts import Reader, StartpointFacts, next_starts, stream_of
from managers.startpoints.startpoint_records import without_key_bucket
from managers.startpoints.startpoint_request import require_known
from managers.state.state_backend import is_durable, store_names
from projections.job_choice import Job, UnknownJob

_BUSIEST_HOUR: Final = """
select r.task_name, max(r.records_per_second) from (
  select max(c.record_time) as until from coordinator.checkpoint c where c.job_name = %(name)s and c.job_id = %(id)s) n
cross join lateral coordinator.processing_rate(%(name)s, %(id)s, n.until - interval '1 day', n.until) r
where n.until is not null group by r.task_name
"""
_DEPLOYMENTS: Final = """
select deployment_number, first_record_time::text from coordinator.config_deployment
where job_name = %(name)s and job_id = %(id)s
"""
_STOOD: Final = """
select task_name, system_name, stream_name, partition_id, key_bucket, input_offset_number
from coordinator.input_offset_at(%(name)s, %(id)s, %(at)s::timestamptz) where input_offset_number is not null
"""


def plan_rewind(
    found: StartpointJob,
    readers: Sequence[Reader],
    target: Target | datetime,
    servers: str | None,
    *,
    is_priced: bool = True,
) -> RewindPlan:
    """Plan to start these tasks and partitions of a job from a target, or from a time. Nothing is written.

    Raises:
        RewindError: no partition has a target, a target is beyond the end of its input, or a task reads no longer.
        CoordstreamError: the job's checkpoints are unknown.
        EventLogError: an input or a log cannot be read.
    """
    if found.checkpoint_error:
        raise CoordstreamError(f"The job's checkpoints are unknown: {found.checkpoint_error}")
    config, now = found.facts.job.config, system_clock()
    with JobInputs(config, servers) as inputs:
        positions = _positions(found, readers, inputs, ms_of(now))
        if isinstance(target, datetime):
            target = _since(target, inputs, positions)
    moves = moves_of(positions, target, _stores(config))
    if is_priced and all(move.to_offset == move.from_offset for move in moves):
        raise RewindError(f"Nothing to rewind: no selected partition has another offset for {target.words}.")
    if is_priced:
        moves = with_times(moves, _busiest_rates(found.job))
    return RewindPlan(
        job_name=found.job.name,
        job_id=found.job.id,
        target=target.words,
        made_at=now,
        coordinator_stream_id=found.log.stream_id,
        moves=tuple(moves),
    )


def plan_again(plan: RewindPlan, found: StartpointJob, servers: str | None) -> RewindPlan:
    """The same plan, made now and without its price. Raises as `plan_rewind`."""
    offsets = plan.offsets
    target = Target(plan.target, lambda position: offsets[position.reader])
    return plan_rewind(found, sorted(offsets), target, servers, is_priced=False)


def choose_readers(facts: StartpointFacts, words: Sequence[str], task_names: Sequence[str]) -> list[Reader]:
    """The tasks and partitions that inputs and names of tasks select (empty: all), sorted.

    Raises `RewindError`: nothing is selected; `InvalidStartpointRequest`: the job does not read an input, or has no
    such task or partition.
    """
    inputs = [parse_input(word, facts.streams) for word in words]
    for each in inputs:
        require_known(facts, (each.system, each.stream), each.partitions or (), task_names)
    require_known(facts, None, (), task_names)
    chosen = [
        (task_name, partition)
        for task_name, partitions in sorted(facts.reads().items())
        for partition in sorted(partitions)
        if (not task_names or task_name in task_names)
        and (not inputs or any(one.includes(partition) for one in inputs))
    ]
    if not chosen:
        raise RewindError("No task is known to read a selected partition. `coordstream explain` lists the partitions.")
    return chosen


def _since(time: datetime, inputs: JobInputs, positions: Sequence[Position]) -> Target:
    """The first record since a time of each partition, or its end if there is none."""
    resolved = inputs.resolve({each.partition: StartpointTimestamp(ms_of(time), ms_of(time)) for each in positions})
    offsets = {partition: int(each.offset) for partition, each in resolved.items()}
    words = f"{time.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
    return Target(words, lambda position: offsets.get(position.partition), is_time=True)


def beginning_of(deployment: int, job: Job) -> Target:
    """Where each task stood when a deployment began.

    Raises `UnknownJob`: the database does not have the job; `CoordstreamError`: the job has no deployment with this
    number.
    """
    with open_job(str(job)) as (connection, found):
        # texts, because a time may be after the year 9999
        beginnings: dict[int, str] = dict(connection.execute(_DEPLOYMENTS, job_values(found)).fetchall())
        if deployment not in beginnings:
            known = f"deployments 1 to {max(beginnings)}" if beginnings else "none"
            raise CoordstreamError(f"Job {job} has no deployment {deployment}. The database knows {known}.")
        values = {**job_values(found), "at": beginnings[deployment]}
        stood = connection.execute(_STOOD, values).fetchall()
    offsets = {(task_name, SystemStreamPartition(*partition)): last + 1 for task_name, *partition, last in stood}
    words = f"the beginning of deployment {deployment}"
    return Target(words, lambda position: offsets.get(position.reader), refuses_beyond_end=True)


def _positions(found: StartpointJob, readers: Sequence[Reader], inputs: JobInputs, now_ms: int) -> list[Position]:
    """Where the next start of these tasks would begin these partitions, read before the ends of the inputs.

    Raises `RewindError`: a task does not read a partition, its input does not have it, or its offsets are not numbers.
    """
    starts = next_starts(found.facts, found.checkpoints, found.facts.requests, now_ms)
    if unread := next((each for each in readers if each not in starts), None):
        raise RewindError(f"Task {unread[0]!r} does not read {unread[1]}. See `coordstream explain`.")
    bounds = inputs.bounds({stream_of(partition) for _, partition in readers})
    times = {each[1]: int(starts[each].startpoint_value or 0) for each in readers if _is_time(starts[each])}
    of_times = inputs.resolve({partition: StartpointTimestamp(ms, 0) for partition, ms in times.items()})
    positions = []
    for task_name, partition in readers:
        start, reach = starts[task_name, partition], bounds.get(without_key_bucket(partition))
        if reach is None:
            raise RewindError(f"The input has no {partition}, which task {task_name!r} reads. Check the topic.")
        of_time = of_times.get(partition)
        first = first_offset(start, reach, of_time.offset if of_time else "")
        if not first.isdecimal():
            offset = load_settings().secrets.mask_text(first)
            raise RewindError(
                f"The next offset of {partition} in task {task_name!r} is {offset!r}, not a number. Use `coordstream "
                "startpoint write`."
            )
        position = Position(
            task_name=task_name,
            **partition_columns(partition),
            decided_by=start.decided_by,
            startpoint_type=start.startpoint_type,
            startpoint_value=start.startpoint_value,
            checkpoint_offset=found.checkpoints.get(task_name, {}).get(partition),
            oldest_offset=reach.oldest_offset,
            end_offset=reach.end_offset,
            from_offset=int(first),
        )
        positions.append(position)
    return positions


def _is_time(start: StartingOffset) -> bool:
    return start.startpoint_type == "timestamp" and start.startpoint_value is not None


def _busiest_rates(job: Job) -> dict[str, float]:
    """Records per second of each task in the busiest hour of the day before the job's last commit.

    Empty, with a note, if the database cannot tell. An hour in which a task waits for records says less about what it
    can process, hence the busiest one.
    """
    try:
        with open_job(str(job)) as (connection, found):
            return dict(connection.execute(_BUSIEST_HOUR, job_values(found)).fetchall())
    except InvalidParameterValue:  # the day begins before the horizon
        return {}
    except (CoordstreamError, UnknownJob) as error:
        note(f"The time to catch up is unknown: {error}")
        return {}


def _stores(config: Mapping[str, str]) -> list[str]:
    """The stores with a backup, which keep their contents when the job is rewound."""
    durable = {store for store in store_names(config) if is_durable(config, store)}
    return sorted(durable | {each.store for each in changelogs(config)})
