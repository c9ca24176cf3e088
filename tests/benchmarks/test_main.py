"""A small run of all figures, on a real server: that they are made, not what they are."""

from pathlib import Path

import pytest

from benchmarks.__main__ import main


@pytest.mark.slow
def test_a_run_prints_its_report_and_writes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "benchmarks.md"
    main(["--events", "3000", "--rounds", "1", "--out", str(out)])
    text = out.read_text(encoding="utf-8")
    assert capsys.readouterr().out.strip() == text.strip()
    assert "3,000 generated events" in text
    assert "Quarantined: 0." in text
