"""The figures of the relations as Markdown."""

from collections.abc import Sequence
from typing import Final

from benchmarks.markdown import Lines, table
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


def relations_report(answers: Sequence[Answer], extent: Extent, machine: str) -> Lines:
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
    ]


def _cell(answer: Answer | None) -> str:
    if answer is None:
        return ""
    if answer.milliseconds is None or answer.buffers is None:
        return f"over {LONGEST.seconds} s"
    return f"{answer.milliseconds:,.1f} ({answer.buffers:,})"


def _rows(by_kind: dict[str, Answer]) -> str:
    rows = by_kind["large job"].rows
    return "" if rows is None else f"{rows:,}"
