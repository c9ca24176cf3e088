"""The report says what was measured, bad rounds too."""

from collections.abc import Sequence

from benchmarks.limit import Load
from benchmarks.recording_replay import RecordingReplay
from benchmarks.replay import Replay, Sizes
from benchmarks.report import Figures, report


def figures(server_seconds: float | None = 5.0, peaks: Sequence[int | None] = (150_000_000, 300_000_000)) -> Figures:
    return Figures(
        replays=[Replay(1000, 0, seconds, 4.0, server_seconds) for seconds in (10.0, 20.0, 40.0)],
        at_once=[Replay(1000, 0, seconds, 5.0, server_seconds) for seconds in (8.0, 10.0, 20.0)],
        limits=[Load(seconds, 1.0, server_seconds) for seconds in (5.0, 5.0, 10.0)],
        recordings=[
            RecordingReplay(Replay(1000, 0, 50.0, 40.0, server_seconds), peaks[0]),
            RecordingReplay(Replay(1000, 0, 25.0, 42.0, server_seconds), peaks[1]),
        ],
        processes=2,
        on_disk=Sizes(600_000, 30_000, 100_000, 70_000),
        raw_bytes=500_000,
    )


def test_rates_are_medians_with_least_and_most_and_shares_are_of_the_same_round() -> None:
    lines = report(figures(), "A machine.")
    assert "| from memory, one process | 50 (25 to 100) | 0.25 (0.25 to 0.50) | 4000.0 | 5000.0 |" in lines
    assert "| from memory, 2 processes | 100 (50 to 125) | 0.50 (0.50 to 0.62) | 5000.0 | 5000.0 |" in lines
    assert "| limit: the same rows by COPY, one connection | 200 (100 to 200) | 1 | 1000.0 | 5000.0 |" in lines
    assert "| from recordings, one process, once | 20 | 0.10 | 40000.0 | 5000.0 |" in lines
    assert "| from recordings, 2 processes, once | 40 | 0.20 | 42000.0 | 5000.0 |" in lines
    assert "and of the 2 and the one that tells them what to do: 150 MB and 300 MB." in lines


def test_space_is_reported_per_event_and_compared_with_the_raw_bytes() -> None:
    lines = report(figures(), "A machine.")
    assert "| raw: key and value | 500 | 0 | 1.00 |" in lines
    assert "| archive | 600 | 30 | 1.26 |" in lines
    assert "| all on disk | 700 | 100 | 1.60 |" in lines


def test_what_the_system_does_not_show_is_unknown() -> None:
    text = "\n".join(report(figures(server_seconds=None, peaks=(None, None)), "A machine."))
    assert "| from recordings, one process, once | 20 | 0.10 | 40000.0 | unknown |" in text
    assert "what to do: unknown and unknown." in text
