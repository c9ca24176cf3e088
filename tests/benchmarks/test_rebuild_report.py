"""Verify and rebuild are compared with the import of the same round."""

from benchmarks.rebuild import WAYS, Refold, Round
from benchmarks.rebuild_report import rebuild_report
from benchmarks.replay import Replay


def measured(seconds: float, client_seconds: float, peak_bytes: int | None) -> Round:
    imported = Replay(1_000_000, 0, 10.0, 8.0, 4.0)
    return Round(imported, dict.fromkeys(WAYS, Refold(1_000_000, seconds, client_seconds, 2.0, peak_bytes)))


def test_shares_are_of_the_same_round_and_peaks_stand_beside_each_other() -> None:
    rounds = [measured(8.0, 6.0, 100_000_000), measured(20.0, 22.0, 90_000_000)]
    lines = rebuild_report(rounds, {4_000_000: measured(40.0, 30.0, None)}, "A machine.")
    assert "1,000,000 generated events in three logs; rounds: 2. Goal: 0.9 of the import. A machine." in lines
    assert "| import | 1 | 1 | 100,000 (100,000 to 100,000) | 8.0 | 4.0 |" in lines
    shares = "0.88 (0.50 to 1.25) | 1.00 (0.50 to 1.50) | 87,500 (50,000 to 125,000) | 14.0 | 2.0"
    assert f"| verify | {shares} |" in lines
    assert "| 1,000,000 | 100 MB | 100 MB | 100 MB |" in lines
    assert "| 4,000,000 | unknown | unknown | unknown |" in lines
