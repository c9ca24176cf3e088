"""The picture, for any number of tasks and any names."""

import warnings
from dataclasses import replace
from pathlib import Path

import matplotlib.image
import pytest

from spark_jobs.reports.progress import picture
from spark_jobs.reports.progress.picture import draw
from spark_jobs.reports.progress.rows import BucketProgress, TaskProgress
from tests.spark_jobs.plain_relations import at
from tests.spark_jobs.reports.progress.summaries import TASK


@pytest.mark.parametrize("tasks", [1, 4, 13, 40])
def test_any_number_of_tasks_is_drawn(tmp_path: Path, tasks: int) -> None:
    rows = [BucketProgress(at(2 * number), number % 2, number, number // 5) for number in range(20)]
    buckets = {replace(TASK, task_name=f"Partition {number}"): rows for number in range(tasks)}
    draw(tmp_path / "p.png", buckets, 2, "Checkpoint progress", "as of log offset 5")
    image = matplotlib.image.imread(tmp_path / "p.png")
    assert image.shape[1] == 1320
    assert len({tuple(pixel) for pixel in image[::7, ::7].reshape(-1, image.shape[2])}) > 10


@pytest.mark.parametrize("tasks", [1, 13])
def test_odd_names_and_empty_histories_are_drawn(tmp_path: Path, tasks: int) -> None:
    names = ("$x_{", "タスク 🙂", "%d {}", "", "a" * 300)
    tasks_of_many_jobs = [replace(TASK, task_name=names[number % 5], job_id=str(number)) for number in range(tasks)]
    buckets: dict[TaskProgress, list[BucketProgress]] = {task: [] for task in tasks_of_many_jobs}
    draw(tmp_path / "p.png", buckets, 60, "all $ jobs", "as of " + "long " * 100)
    assert (tmp_path / "p.png").stat().st_size > 1000


@pytest.mark.parametrize("drawn", [0, 1, 2])
def test_empty_panels_leave_room_for_the_others(tmp_path: Path, drawn: int) -> None:
    rows = [BucketProgress(at(number), 1, 1, 0) for number in range(4)]
    tasks = [replace(TASK, task_name=f"Partition {number}") for number in range(3)]
    draw(tmp_path / "p.png", {task: rows if number == drawn else [] for number, task in enumerate(tasks)}, 1, "t", "s")
    assert (tmp_path / "p.png").stat().st_size > 1000  # and matplotlib has not warned


@pytest.mark.parametrize("letter", ["i", "W", "タ"])
@pytest.mark.parametrize("tasks", [1, 40])
def test_title_and_subtitle_fit_into_the_picture(letter: str, tasks: int) -> None:
    rows = [BucketProgress(at(2 * number), number % 2, number, number // 5) for number in range(20)]
    buckets = {replace(TASK, task_name=f"Partition {number}"): rows for number in range(tasks)}
    title = f"Checkpoint progress of {letter * 100}/1, 40 of 2000 tasks, stalled first"
    subtitle = f"as of log offset __samza_checkpoint_ver_1_for_{letter * 100}_1 123456789; 2026-03-01 12:00:00 UTC"
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure = picture._figure(buckets, 2, (title, subtitle))
        figure.draw_without_rendering()
        (heading,) = figure.texts[:1]
        box = heading.get_window_extent()
    assert letter in heading.get_text()
    assert (box.x0 >= 0, box.x1 <= figure.bbox.width, box.y1 <= figure.bbox.height) == (True, True, True)
