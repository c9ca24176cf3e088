"""The quick benchmark compares ratios with stored ones."""

import json
from pathlib import Path

import pytest

from benchmarks.quick import STORED, complaints, main


@pytest.mark.parametrize(("ratio", "is_accepted"), [(0.25, True), (0.41, True), (0.2, True), (0.19, False)])
def test_a_ratio_that_fell_by_more_than_a_fifth_is_named(ratio: float, is_accepted: bool) -> None:
    found = complaints({"replay": ratio, "other": 1.0}, {"replay": 0.25, "other": 1.0})
    assert bool(found) is not is_accepted
    assert all("'replay'" in complaint for complaint in found)


@pytest.mark.slow
def test_a_run_stores_ratios_and_fails_below_higher_ones(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    few = ["--events", "3000", "--rounds", "1", "--stored", str(tmp_path / "ratios.json")]
    assert main([*few, "--store"]) is None
    stored = json.loads((tmp_path / "ratios.json").read_text())
    assert stored.keys() == json.loads(STORED.read_text()).keys()
    printed = capsys.readouterr().out
    assert all(f"{name}: {ratio:.3f}" in printed for name, ratio in stored.items())
    (tmp_path / "ratios.json").write_text(json.dumps(dict.fromkeys(stored, 1000.0)))
    failed = main(few)
    assert failed is not None
    assert failed.count("below the stored 1000.000") == len(stored)
