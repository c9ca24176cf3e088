"""The printed summary."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from spark_jobs.reports.progress.rows import TaskProgress
from spark_jobs.reports.progress.summary import format_span, print_summary
from spark_jobs.reports.table import describe_positions
from tests.spark_jobs.plain_relations import at
from tests.spark_jobs.reports.progress.summaries import TASK


def printed(tasks: list[TaskProgress], total: int, *, is_terminal: bool = True) -> str:
    text = io.StringIO()
    console = Console(file=text, width=100, force_terminal=is_terminal, color_system=None)
    print_summary(console, tasks, total, "Checkpoint progress", at(60))
    return text.getvalue()


def test_a_task_is_a_line_of_at_most_100_columns() -> None:
    stalled = replace(TASK, task_name="Partition 1", stall="no-advance", stalled_since=at(25))
    lines = printed([TASK, stalled], 2).splitlines()
    assert max(map(len, lines)) <= 100
    assert "Partition 0" in lines[2]
    assert "1,234,567" in lines[2]
    assert "89,000,000" in lines[2]
    assert "no-advance 35.0s" in lines[3]


def test_a_pipe_gets_whole_names_and_tabs_between_cells() -> None:
    task = replace(TASK, task_name=f"Partition {'0' * 200}")
    heading, columns, line = printed([task], 1, is_terminal=False).splitlines()
    assert (heading, columns.split("\t")[:2]) == ("Checkpoint progress", ["task", "commits"])
    assert line.split("\t")[:3] == [task.task_name, "1,234,567", "89,000,000"]


def test_labels_include_the_job_if_there_are_several() -> None:
    assert "counts/1 " not in printed([TASK], 1)
    assert "other/2 Partition 0" in printed([TASK, replace(TASK, job_name="other", job_id="2")], 2)


def test_names_are_not_markup_and_unknown_values_are_question_marks() -> None:
    text = printed([replace(TASK, task_name="[red]x[/red]", advanced=None, age=None)], 7)
    assert "[red]x[/red]" in text
    assert text.count("?") == 2
    assert "and 6 more tasks" in text


def test_tasks_are_sorted_by_number() -> None:
    tasks = [replace(TASK, task_name=f"Partition {number}") for number in (10, 2, 1)]
    assert [task.task_name[-2:].strip() for task in sorted(tasks, key=TaskProgress.order)] == ["1", "2", "10"]


def test_positions_are_limited_to_a_few_lines() -> None:
    lines = describe_positions({(f"log{number}", 1): number for number in range(9)}, "Log positions:")
    assert lines[0] == "Log positions:"
    assert lines[1] == "  log0 (incarnation 1): next offset 0"
    assert lines[-1] == "  … and 3 more logs, in as_of.json"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0.0s"),
        (59.94, "59.9s"),
        (59.96, "1m 00s"),
        (125, "2m 05s"),
        (3600, "1h 00m"),
        (90_000, "1d 01h"),
        (-5, "-5.0s"),
    ],
)
def test_a_duration_has_at_most_two_units(seconds: float, text: str) -> None:
    assert format_span(seconds) == text


def test_a_name_fits_into_80_columns() -> None:
    text = io.StringIO()
    console = Console(file=text, width=80, force_terminal=True, color_system=None)
    stalled = replace(TASK, task_name="Partition 0", stall="silent", stalled_since=at(-90_000))
    print_summary(console, [stalled], 1, "Checkpoint progress", at(60))
    heading, columns, line = text.getvalue().splitlines()
    assert line.startswith("Partition 0 ")
    assert max(len(heading), len(columns), len(line)) <= 80
