"""The picture: drawn for any number of tasks and any names."""

from dataclasses import replace
from pathlib import Path

import matplotlib.image
import pytest

from spark_jobs.progress_picture import draw
from spark_jobs.progress_rows import BucketProgress, TaskProgress
from tests.spark_jobs.relations import at
from tests.spark_jobs.summaries import TASK


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
