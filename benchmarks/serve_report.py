"""The figures of serving over HTTP as Markdown."""

from collections.abc import Sequence
from typing import Final

from benchmarks.http_load import Answers
from benchmarks.latency import percentile
from benchmarks.markdown import Lines, megabytes, table
from benchmarks.serve import Memory, ServeFigures

_METHOD: Final = (
    "How: one recorded job, copied by SQL. `coordstream serve`, a coordinator's HTTP server, and the clients are",
    "programs of their own, which share the cores with Postgres. A client asks for the next address when it has an",
    "answer, without a pause, on connections that it keeps: as many requests are under way as there are clients, and",
    "the time of an answer is mostly the wait for the others. Job pages and JSON are of as many jobs as there are",
    "clients; `/metrics` and the fleet are the same for all. Any status but 200, and a connection that is closed, is",
    "an error.",
)


def serve_report(figures: ServeFigures, machine: str) -> Lines:
    """All figures, including bad ones."""
    extent = figures.extent
    count = sum(len(answers.seconds) for answers in figures.answers.values())
    return [
        f"{extent.jobs:,} jobs; {extent.clients} clients for {extent.seconds:g} s. {machine}",
        "",
        *table(
            ("answer", "answers", "errors", "p50 s", "p99 s", "kB each"),
            [_row(kind, answers) for kind, answers in figures.answers.items()],
        ),
        "",
        f"{count / figures.seconds:.0f} answers/s. CPU: service {_seconds(figures.service_cpu)}, Postgres",
        f"{_seconds(figures.server_cpu)}, clients {_seconds(figures.clients_cpu)} in {figures.seconds:.0f} s.",
        _memory(figures.memory, extent.seconds),
        "",
        *_METHOD,
    ]


def _row(kind: str, answers: Answers) -> tuple[str, ...]:
    seconds = answers.seconds
    errors = ", ".join(f"{count} {reason}" for reason, count in sorted(answers.errors.items())) or "0"
    if not seconds:
        return kind, "0", errors, "", "", ""
    times = (f"{percentile(seconds, share):.2f}" for share in (0.5, 0.99))
    return kind, f"{len(seconds):,}", errors, *times, f"{answers.bytes / len(seconds) / 1e3:,.0f}"


def _memory(memory: Sequence[Memory], seconds: float) -> str:
    """The most in the second third of the time, and in the last: memory that grows with requests differs."""
    middle = [each.bytes for each in memory if seconds / 3 <= each.seconds < seconds * 2 / 3]
    last = [each.bytes for each in memory if each.seconds >= seconds * 2 / 3]
    before, after = max(middle, default=None), max(last, default=None)
    growth = "unknown" if not before or not after else f"{after / before - 1:+.0%}"
    return (
        f"Memory of the service: {megabytes(before)} in the second third of that time, {megabytes(after)} in the last "
        f"({growth})."
    )


def _seconds(seconds: float | None) -> str:
    return "unknown" if seconds is None else f"{seconds:.0f} s"
