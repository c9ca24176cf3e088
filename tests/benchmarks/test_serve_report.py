"""The figures of serving as Markdown."""

from benchmarks.http_load import Answers
from benchmarks.serve import Extent, Memory, ServeFigures
from benchmarks.serve_report import serve_report

ANSWERS = {
    "fleet": Answers([0.01 * number for number in range(1, 101)], 2_800_000),
    "job": Answers([], 0, {"503": 2, "RemoteDisconnected": 1}),
}


def report(memory: list[Memory]) -> str:
    return "\n".join(
        serve_report(ServeFigures(Extent(1_000, 200, 60), ANSWERS, 50.0, 5.0, 20.4, None, memory), "A machine.")
    )


def test_errors_and_memory_are_told() -> None:
    memory = [Memory(1, 50_000_000), Memory(20, 90_000_000), Memory(39, 100_000_000), Memory(61, 103_000_000)]
    text = report(memory)
    assert "1,000 jobs; 200 clients for 60 s. A machine." in text
    assert "| fleet | 100 | 0 | 0.50 | 0.99 | 28 |" in text
    assert "| job | 0 | 2 503, 1 RemoteDisconnected |  |  |  |" in text
    assert "2 answers/s. CPU: service 5 s, Postgres\n20 s, clients unknown in 50 s." in text
    assert "100 MB in the second third of that time, 103 MB in the last (+3%)." in text


def test_unknown_memory_is_told() -> None:
    assert "unknown in the second third of that time, unknown in the last (unknown)." in report([])
