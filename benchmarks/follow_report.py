"""The follower's figures as Markdown, with their goals."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Final, NamedTuple

from benchmarks.catch_up import APPENDED_EVENTS, CatchUps
from benchmarks.latency import percentile
from benchmarks.live import Run
from benchmarks.live_tail import LiveTail
from benchmarks.many_topics import ManyTopics
from benchmarks.markdown import Lines, megabytes, percent, spread, table

IDLE_GOAL: Final = 0.03
CATCH_UP_GOAL: Final = 0.3


class Goal(NamedTuple):
    """The limits for the latency of 50 % and 99 % of all events, in ms."""

    p50: float
    p99: float


GOALS: Final[Mapping[str, Goal]] = {"Postgres": Goal(5, 15), "Kafka": Goal(10, 30)}

_LATENCY_HEADER: Final = ("append → visible in SQL", "p50 of goal", "p99 of goal", "p50 ms", "p99 ms", "most ms", "CPU")
_LIVE_METHOD: Final = (
    "How: the appender is a process of its own that keeps to the clock and sends each event when it is due (to Kafka",
    "without waiting for the one before; to Postgres those together that came due during the append before). Time",
    "runs from just before the append until another connection is notified of the position, which Postgres does after",
    "the commit; the last row is then looked up. First, 20,000 events are caught up with, so that tasks have written",
    "their first checkpoints. Then 60,000 go by unmeasured, at 1,000/s: a broker that has just started compiles its",
    "code for up to a minute, on up to half a core of the two (p99 of 15 to 41 ms meanwhile). The appender's first",
    "event, which opens what an append needs, is not measured either; its garbage collector does not run, and it only",
    "ends when all events are acknowledged. CPU: of the follower's process, as a share of a core. The broker is that",
    "of the tests: one node, its log in memory where there is room. Heap and collector are those of Kafka's scripts.",
)


def live_report(tails: Mapping[str, LiveTail], machine: str) -> Lines:
    """Latencies and idle CPU; ``tails`` by the kind of log, as in `GOALS`."""
    rows = (row for kind, tail in tails.items() for row in _latency_rows(kind, tail.runs))
    idle = ((f"{kind} log", *_idle_cells(tail)) for kind, tail in tails.items())
    return [
        *(
            f"Goals: p50 ≤ {goal.p50:.0f} ms and p99 ≤ {goal.p99:.0f} ms for {kind} logs."
            for kind, goal in GOALS.items()
        ),
        machine,
        "",
        *table(_LATENCY_HEADER, rows),
        "",
        *table(("idle", f"of goal ({percent(IDLE_GOAL)} of a core)", "follower", "its server processes"), idle),
        "",
        *_LIVE_METHOD,
    ]


def topics_report(figures: ManyTopics, machine: str) -> Lines:
    """One process with many topics."""
    crowd, run = figures.crowd, figures.run
    name = f"Kafka, one of {crowd.topics} topics"
    facts = (
        ("until all are caught up and live", f"{figures.seconds:.1f} s"),
        ("connections to the database", str(figures.to_database)),
        ("connections to the broker", "unknown" if figures.to_broker is None else str(figures.to_broker)),
        ("peak memory", megabytes(figures.peak_bytes)),
        ("idle CPU of the follower", percent(figures.idle.follower)),
        ("idle CPU of its server processes", percent(figures.idle.backends)),
    )
    return [
        f"{crowd.topics} topics with {crowd.events_each} events each, one follower; the time is from its start.",
        machine,
        "",
        *table((f"{crowd.topics} topics", "figure"), facts),
        "",
        *table(_LATENCY_HEADER, [_latency_row(name, GOALS["Kafka"], run)]),
    ]


def catch_up_report(figures: Mapping[str, CatchUps], machine: str) -> Lines:
    """The share of the limit that catching up from Kafka reaches, by what is caught up with."""
    first = next(iter(figures.values())).catch_ups
    return [
        f"{first[0].events:,} generated events, appended {APPENDED_EVENTS:,} at a time; rounds: {len(first)}.",
        f"One follower, from the start of its process until it is live. Goal: {CATCH_UP_GOAL} of the limit.",
        "The limit is the COPY of the same rows beside it. The start, until topics are attached, is part of the time.",
        machine,
        "",
        *table(
            (
                "catch-up",
                "share of the limit",
                "events/s",
                "start s",
                "limit events/s",
                "follower CPU µs/event",
                "peak memory",
            ),
            (_catch_up_row(case, one) for case, one in figures.items()),
        ),
    ]


def _catch_up_row(case: str, figures: CatchUps) -> tuple[str, ...]:
    events = figures.catch_ups[0].events
    seconds = [caught_up.seconds for caught_up in figures.catch_ups]
    shares = [limit.seconds / one for limit, one in zip(figures.limits, seconds, strict=True)]
    cpu = [one.cpu_seconds / events * 1e6 for one in figures.catch_ups if one.cpu_seconds is not None]
    peaks = [one.peak_bytes for one in figures.catch_ups if one.peak_bytes is not None]
    return (
        case,
        spread(shares, 2),
        spread([events / one for one in seconds]),
        f"{median([one.start_seconds for one in figures.catch_ups]):.1f}",
        spread([events / limit.seconds for limit in figures.limits]),
        f"{median(cpu):.1f}" if cpu else "unknown",
        megabytes(max(peaks, default=None)),
    )


def _latency_rows(kind: str, runs: Sequence[Run]) -> Iterator[tuple[str, ...]]:
    for run in runs:
        yield _latency_row(f"{kind}, {run.pace.rate:,.0f}/s", GOALS[kind], run)


def _latency_row(name: str, goal: Goal, run: Run) -> tuple[str, ...]:
    p50, p99 = (percentile(run.latencies, share) for share in (0.5, 0.99))
    reached = "" if run.rate > 0.98 * run.pace.rate else f" (reached {run.rate:,.0f}/s)"
    shares = f"{p50 / goal.p50:.2f}", f"{p99 / goal.p99:.2f}"
    return f"{name}{reached}", *shares, f"{p50:.1f}", f"{p99:.1f}", f"{max(run.latencies):.1f}", percent(run.cpu)


def _idle_cells(tail: LiveTail) -> tuple[str, str, str]:
    follower, backends = tail.idle
    of_goal = "unknown" if follower is None else f"{follower / IDLE_GOAL:.2f}"
    return of_goal, percent(follower), percent(backends)
