"""``make bench``: writes the figures with their limits and goals to standard output and the docs."""

import argparse
import signal
import sys
from argparse import Namespace
from collections.abc import Mapping
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import Final

from benchmarks.catch_up import catch_up_report, measure_catch_ups
from benchmarks.document import Lines, renewed
from benchmarks.http_readers import measure_readers, readers_report
from benchmarks.live import live_report, tail_of_kafka, tail_of_postgres
from benchmarks.processes import machine
from benchmarks.reads import measure_reads, reads_report
from benchmarks.replay import Streams, generated_streams, measure_replay, replay_report
from benchmarks.servers import JARS, BenchmarkServer, benchmark_broker, benchmark_server
from tests.fixtures.kafka_topics import Topics

TITLES: Final = {
    "replay": "Replay",
    "live": "Live",
    "catch-up": "Catching up from Kafka",
    "reads": "Reads",
    "http": "Reads over HTTP",
    "spark": "Spark",
    "steered": "Steered jobs",
}


class Bench:
    """The parts of the benchmark, a method each, and their servers, which start when first needed."""

    def __init__(self, options: Namespace, stack: ExitStack) -> None:
        self.options, self.stack = options, stack

    def replay(self, on: str) -> Lines:
        rounds = measure_replay(self._server, self._streams, self.options.rounds, _say)
        return replay_report(rounds, self._streams, on)

    def live(self, on: str) -> Lines:
        _say("live: a log in Postgres")
        postgres = tail_of_postgres(self._server)
        _say("live: a topic")
        return live_report({"Postgres": postgres, "Kafka": tail_of_kafka(self._server, self._topics)}, on)

    def catch_up(self, on: str) -> Lines:
        _say("catching up from Kafka")
        rounds, seed = self.options.rounds, self.options.seed
        return catch_up_report(measure_catch_ups(self._server, self._topics, self._streams, rounds, seed), on)

    def reads(self, on: str) -> Lines:
        with self._server.database("reads") as url:
            _say(f"importing {self.options.jobs:,} jobs")
            return reads_report(*measure_reads(url, self.options.jobs, _say), self.options.jobs, on)

    def http(self, on: str) -> Lines:
        with self._server.database("http") as url:
            return readers_report(measure_readers(url), on)

    def spark(self, on: str) -> Lines:
        from benchmarks.spark import measure_spark, spark_report  # noqa: PLC0415 (loads PySpark)

        return spark_report(measure_spark(self._server, self.options.events, self.options.rounds, _say), on)

    def steered(self, on: str) -> Lines:
        from benchmarks.steered import measure_steered, steered_report  # noqa: PLC0415 (loads PySpark)

        events = self.options.events
        return steered_report(
            measure_steered(self._server, self._topics, events, self.options.rounds, _say), events, on
        )

    @cached_property
    def _server(self) -> BenchmarkServer:
        return self.stack.enter_context(benchmark_server())

    @cached_property
    def _topics(self) -> Topics:
        return self.stack.enter_context(benchmark_broker(self.options.jars))

    @cached_property
    def _streams(self) -> Streams:
        _say(f"generating {self.options.events:,} events")
        return generated_streams(self.options.events, self.options.seed)


def main(arguments: list[str]) -> None:
    """Measure, print the report, and replace the sections of the document that were measured."""
    options = _parser().parse_args(arguments)
    measured: dict[str, Lines] = {}
    with ExitStack() as stack:
        bench = Bench(options, stack)
        for part in options.only:
            measured[part] = getattr(bench, part.replace("-", "_"))(machine())
            _write(options.out, {part: measured[part]})
    print(renewed("", TITLES, measured))


def _write(document: Path, measured: Mapping[str, Lines]) -> None:
    """Write each part when it is measured, so that it is kept if a later part fails."""
    old = document.read_text(encoding="utf-8") if document.exists() else ""
    document.parent.mkdir(exist_ok=True)
    document.write_text(renewed(old, TITLES, measured), encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make bench")
    add = parser.add_argument
    add("--only", nargs="+", choices=list(TITLES), default=list(TITLES), metavar="PART", help=", ".join(TITLES))
    add("--events", type=int, default=1_000_000, help="of all parts but live and reads")
    add("--rounds", type=int, default=3, help="of all parts but live and reads")
    add("--seed", type=int, default=1)
    add("--jobs", type=int, default=300, help="of reads")
    add("--jars", type=Path, default=JARS, help="folder of the broker's jars")
    add("--out", type=Path, default=Path("docs/benchmarks.md"))
    return parser


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("Terminated. Finished parts are kept."))  # stops the servers
    main(sys.argv[1:])
