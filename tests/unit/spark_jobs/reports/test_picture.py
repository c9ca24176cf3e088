"""The pictures of the reports, for any names, lengths and days."""

from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

import matplotlib.image
import pytest

from spark_jobs.reports.picture import Bar, Cell, draw_bars, draw_days, draw_heat_map
from tests.fixtures.spark_jobs.fleet import at

TODAY = date(2026, 3, 1)
RED = (0xC1, 0x12, 0x1F)


def has_red(path: Path) -> bool:
    image = (matplotlib.image.imread(path)[..., :3] * 255).round()
    return bool((image == RED).all(axis=2).any())


@pytest.mark.parametrize("length", [0, -15, 12, 1e12])
def test_a_bar_is_red_or_its_text_is(tmp_path: Path, length: float) -> None:
    draw_bars(tmp_path / "p.png", "t", "u", [Bar("$x_{", length, "タスク $_ " + "long " * 100, is_alarm=True)])
    assert has_red(tmp_path / "p.png")


@pytest.mark.parametrize("tasks", [0, 1, 13, 40])
@pytest.mark.parametrize("step", [2, 86_400])
def test_any_number_of_tasks_and_buckets_is_drawn(tmp_path: Path, tasks: int, step: int) -> None:
    names = ("$x_{", "タスク 🙂", "%d {}", "", "a" * 300)
    rows = {f"{names[number % 5]}{number}": number == 0 for number in range(tasks)}
    cells = [Cell(name, at(step * number), number, number // 15) for name in rows for number in range(20)]
    draw_heat_map(tmp_path / "p.png", "all $ jobs, " + "long " * 100, 2, rows, cells)
    assert has_red(tmp_path / "p.png") is (tasks > 0)


def test_equal_steps_have_the_palest_colour_and_larger_ones_the_darkest(tmp_path: Path) -> None:
    for last, is_dark in ((1_000_000, False), (9_000_000, True)):
        cells = [Cell("t", at(0), 1_000_000, 0), Cell("t", at(1), last, 0)]
        draw_heat_map(tmp_path / "p.png", "t", 1, {"t": False}, cells)
        row = (matplotlib.image.imread(tmp_path / "p.png")[..., :3] * 255)[60:140, 300:700]
        assert bool(row.sum(axis=2).min() < 200) is is_dark


@pytest.mark.parametrize("days", [[0], [0, 1, 9], list(range(0, 4000, 7))])
def test_a_single_day_and_many_years_of_days_are_drawn(tmp_path: Path, days: Sequence[int]) -> None:
    series = {TODAY - timedelta(days=day): 5 for day in days}
    draw_days(tmp_path / "p.png", "t", "per {}", {"$ counts/1": series, "other jobs": series})
    image = matplotlib.image.imread(tmp_path / "p.png")[..., :3]
    is_bar = (image.reshape(-1, 3) != 1).any(axis=1).reshape(image.shape[:2])
    assert is_bar.mean() < (0.2 if len(days) == 1 else 1.0)
