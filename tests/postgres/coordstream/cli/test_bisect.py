"""`coordstream bisect`: errors and time, and on random conditions the answer of a linear scan over every event."""

import random
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

import pytest
from psycopg import sql

from coordstream.cli.bisect import JobCut, first_true
from coordstream.errors import CoordstreamError
from eventlog.events import RecordedEvent
from eventlog.postgres.connection import connect
from tests.fixtures.acceptance.torture import scaled
from tests.fixtures.coordstream.command_line import CommandLine
from tests.fixtures.properties.generated_jobs import ARCHIVED_MS, GeneratedJob, Knobs, generate_job
from tests.fixtures.properties.importing import import_log, with_events
from tests.oracle import ROWS, log_times
from tests.oracle_job import Relations, job_relations


def test_a_time_limit_of_the_server_is_not_a_fault_of_the_condition(
    wordcount: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGOPTIONS", "-c statement_timeout=300")
    slow = wordcount.refused("bisect", "wordcount_pv", "(select pg_sleep(60)::text) = ''")
    assert slow.endswith("canceling statement due to statement timeout.")
    assert "Invalid condition" not in slow


@pytest.mark.parametrize("events_at", [[0, 100], [0, 60, 100], [0]])
def test_a_condition_that_time_made_true_has_no_event(events_at: list[int]) -> None:
    start = datetime(2026, 11, 21, tzinfo=UTC)

    def cut_at(at: datetime) -> JobCut:
        events = sum(start + timedelta(seconds=each) <= at for each in events_at)
        return JobCut(at, 1, 1, events - 1, None, None, -1)

    expires_at = start + timedelta(seconds=80)
    first, last = cut_at(start), cut_at(start + timedelta(seconds=100))
    with pytest.raises(CoordstreamError, match="true at 2026-11-21 00:01:20 UTC without an event"):
        first_true(first, last, cut_at, lambda cut: cut.at >= expires_at)


SEED: Final = 7
CONDITIONS: Final = scaled(20, 100)
EVENTS: Final = scaled((40, 60), (100, 140))
RELATIONS: Final = (
    *("changelog_mapping", "checkpoint", "config", "container_execution", "container_host"),
    *("job_coordinator_metadata", "startpoint_fan_out", "state_checkpoint"),
    *("task_container", "task_mode", "task_partition"),
)
COLUMNS: Final = {relation: ROWS[relation].replace(" ", "").split(",") for relation in RELATIONS}


class Condition(NamedTuple):
    """A condition in SQL, and what it means."""

    text: str
    holds: Callable[[Relations], bool]


def random_condition(rng: random.Random, states: Sequence[Relations]) -> Condition:
    """A condition about the values or the number of rows that these states have, or never have."""
    found = [(name, row) for name in RELATIONS for state in states for row in state[name]]
    relation = rng.choice(sorted({name for name, _ in found}))
    row = rng.choice([row for name, row in found if name == relation])
    place, least = (
        rng.randrange(len(COLUMNS[relation])),
        rng.randint(1, max(len(state[relation]) for state in states) + 1),
    )
    column, value = COLUMNS[relation][place], sql.Literal(row[place]).as_string()
    condition = rng.choice(
        [
            Condition(
                f"exists (select from {relation} where {column} is not distinct from {value})",
                lambda state: any(one[place] == row[place] for one in state[relation]),
            ),
            Condition(f"(select count(*) from {relation}) >= {least}", lambda state: len(state[relation]) >= least),
        ]
    )
    if rng.random() < 0.8:
        return condition
    return Condition(f"not coalesce({condition.text}, false)", lambda state: not condition.holds(state))


class Moment(NamedTuple):
    """An event of a job, and what the relations say after it."""

    kind: str
    offset: int
    state: Relations


def job_with_equal_times() -> GeneratedJob:
    """A job with two logs, some of whose events have the same time."""
    job, rng = generate_job(SEED, Knobs(events=EVENTS)), random.Random(SEED)
    times = [event.timestamp for event in job.coordinator_events]

    def retimed(event: RecordedEvent, place: int) -> RecordedEvent:
        return event._replace(timestamp=times[place]) if place < len(times) and rng.random() < 0.3 else event

    assert job.checkpoint is not None
    topic = job.checkpoint.stream_name
    return with_events(
        job,
        lambda log: (
            [retimed(event, place) for place, event in enumerate(log.events)]
            if log.stream_name == topic
            else log.events
        ),
    )


def scan(job: GeneratedJob) -> list[Moment]:
    """Every event in the order of time. At equal times those of the coordinator stream are first."""
    coordinator, checkpoint = job.coordinator_events, job.checkpoint_events or []
    ordered = sorted(
        (time, kind, number, event.offset)
        for kind, events in enumerate((coordinator, checkpoint))
        for number, (time, event) in enumerate(zip(log_times(events, ARCHIVED_MS), events, strict=True), start=1)
    )
    assert len({time for time, *_ in ordered}) < len({(time, kind) for time, kind, *_ in ordered}) < len(ordered)
    ends, moments = [0, 0], []
    for _, kind, number, offset in ordered:
        ends[kind] = number
        state = job_relations(coordinator[: ends[0]], checkpoint[: ends[1]] if ends[1] else None)
        moments.append(Moment(("coordinator", "checkpoint")[kind], offset, state))
    return moments


def became_true(moments: list[Moment], condition: Condition) -> list[tuple[str, int]]:
    """The events with which a condition became true, by looking at every event."""
    truths = [condition.holds(job_relations([], None)), *(condition.holds(moment.state) for moment in moments)]
    changes = zip(truths, truths[1:], moments, strict=False)
    return [(moment.kind, moment.offset) for before, after, moment in changes if after and not before]


@pytest.mark.torture
def test_the_answer_is_one_of_a_linear_scan(cli: CommandLine) -> None:
    job = job_with_equal_times()
    with connect(cli.database_url) as connection:
        for log in job.logs:
            import_log(connection, log)
        connection.execute("analyze")
    ((job_name,),) = cli.ask("select job_name from coordinator.job")
    moments, rng = scan(job), random.Random(SEED)
    states = [moment.state for moment in moments]
    outcomes = {compare(cli, random_condition(rng, states), moments, job_name) for _ in range(CONDITIONS)}
    assert outcomes == {"already true", "never true", "true once", "true several times"}


def compare(cli: CommandLine, condition: Condition, moments: list[Moment], job_name: str) -> str:
    """What the linear scan says; the test fails if the command says something else."""
    expected = became_true(moments, condition)
    words = ("bisect", job_name, condition.text)
    if condition.holds(job_relations([], None)):
        assert cli.refused(*words).startswith("The condition is true at "), condition.text
        return "already true"
    if not condition.holds(moments[-1].state):
        assert cli.refused(*words).startswith("The condition is false at "), condition.text
        return "never true"
    (row,) = cli.rows(*words)
    assert (row["stream_kind"], row["log_offset"]) in expected, (condition.text, row, expected)
    return "true once" if len(expected) == 1 else "true several times"
