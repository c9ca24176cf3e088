"""The figures of the relations as Markdown."""

from collections.abc import Sequence
from typing import Final

from benchmarks.markdown import Lines, table
from benchmarks.relation_limits import ROUNDS, Limit, Reading
from benchmarks.relation_questions import KINDS
from benchmarks.relations import LONGEST, Answer, Extent

_METHOD: Final = (
    "A cell: milliseconds with planning, and in brackets buffers (pages of 8 kB, in memory or not, and those of sorts",
    "on disk) of `explain (analyze, buffers, timing off) select * ...`, asked again where it is quick. The machine is",
    "shared: buffers are the firmer figure. Functions are asked as of the middle of the job's time, and for the",
    "newest 50; anomaly_between of ten minutes from then. Large and small job: all rows of the job, many millions in",
    "some histories. Ten minutes: a range of `record_time` of the large job, which no index serves.",
    "`limit 100`: no filter.",
)
_LIMITS: Final = (
    "All rows of the large job with their conversion to text, which the figures above leave out, and the same rows",
    f"ready-made in a table without an index, by turns, medians of {ROUNDS} rounds. No relation can be read faster.",
    "The last column compares CPU time, because other programs use the machine, too.",
)


def relations_report(answers: Sequence[Answer], limits: Sequence[Limit], extent: Extent, machine: str) -> Lines:
    """All figures, including bad ones."""
    by_relation: dict[str, dict[str, Answer]] = {}
    for answer in answers:
        by_relation.setdefault(answer.question.relation, {})[answer.question.kind] = answer
    rows = [
        (f"`{relation}`", *(_cell(by_kind.get(kind)) for kind in KINDS), _rows(by_kind))
        for relation, by_kind in by_relation.items()
    ]
    return [
        f"A job of {extent.events:,} events (2,000 tasks, V1 and V2 of each commit, four inputs), and",
        f"{extent.jobs:,} jobs of 3,000. {machine}",
        "",
        *table(("relation", *KINDS, "rows of the large job"), rows),
        "",
        *_METHOD,
        "",
        *table(
            ("all rows", "rows", "relation: s (CPU)", "limit, a plain table: s (CPU)", "times the limit"),
            map(_limit, limits),
        ),
        "",
        *_LIMITS,
    ]


def _limit(limit: Limit) -> tuple[str, ...]:
    share = limit.of_relation.cpu_seconds / max(limit.of_table.cpu_seconds, 0.01)
    return (
        f"`{limit.relation}`",
        f"{limit.rows:,}",
        _reading(limit.of_relation),
        _reading(limit.of_table),
        f"{share:.2f}",
    )


def _reading(reading: Reading) -> str:
    return f"{reading.seconds:.1f} ({reading.cpu_seconds:.1f})"


def _cell(answer: Answer | None) -> str:
    if answer is None:
        return ""
    if answer.milliseconds is None or answer.buffers is None:
        return f"over {LONGEST.seconds} s"
    return f"{answer.milliseconds:,.1f} ({answer.buffers:,})"


def _rows(by_kind: dict[str, Answer]) -> str:
    rows = by_kind["large job"].rows
    return "" if rows is None else f"{rows:,}"
