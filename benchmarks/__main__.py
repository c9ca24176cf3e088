"""``make bench``: writes the figures with their limits and goals to standard output and the docs."""

import argparse
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Final

from benchmarks.broker import JARS, benchmark_broker
from benchmarks.catch_up import measure_catch_ups, one_stream
from benchmarks.document import renewed
from benchmarks.follow_report import catch_up_report, live_report, topics_report
from benchmarks.generator import OLDEST_COORDINATOR
from benchmarks.kept_database import kept_database
from benchmarks.library import measure_library
from benchmarks.library_report import library_report
from benchmarks.live import Pace
from benchmarks.live_tail import EVENTS_BEFORE, PACES, WARM_UP, Extent, tail_of_kafka, tail_of_postgres
from benchmarks.machine import LOOK_SECONDS, busy_share, machine
from benchmarks.many_topics import EVENTS_EACH, TOPICS, Crowd, many_topics
from benchmarks.markdown import Lines
from benchmarks.peers import measure_peers
from benchmarks.peers_report import peers_report
from benchmarks.rebuild import measure_large, measure_rebuilds
from benchmarks.rebuild_report import rebuild_report
from benchmarks.relation_limits import measure_limits
from benchmarks.relations import Extent as RelationsExtent
from benchmarks.relations import measure_relations
from benchmarks.relations_report import relations_report
from benchmarks.replay import Streams
from benchmarks.replay_figures import generated_streams, measure_replay
from benchmarks.report import report
from benchmarks.serve import Extent as ServeExtent
from benchmarks.serve import measure_serve
from benchmarks.serve_report import serve_report
from benchmarks.server import BenchmarkServer, benchmark_server
from tests.fixtures.kafka_topics import Topics

DOCUMENT: Final = Path("docs/benchmarks.md")
TITLES: Final = {
    "replay": "Replay",
    "rebuild": "Verify and rebuild",
    "live": "Live",
    "topics": "Many topics",
    "catch-up": "Catching up from Kafka",
    "peers": "Peers",
    "library": "Library",
    "relations": "Relations",
    "serve": "Serving over HTTP",
    "state": "State",
    "event-reads": "Events read by Spark",
    "spark": "Spark",
    "spark-sizes": "Spark: few and many events",
}


def main(arguments: list[str]) -> None:
    """Measure, print the report, and replace the sections of the document that were measured."""
    options = _parser().parse_args(arguments)
    with ExitStack() as stack:
        bench = Bench(options, stack)
        measures: Mapping[str, Callable[[str], Lines]] = {
            "replay": bench.replay,
            "rebuild": bench.rebuild,
            "live": bench.live,
            "topics": bench.topics,
            "catch-up": bench.catch_up,
            "peers": bench.peers,
            "library": bench.library,
            "relations": bench.relations,
            "serve": bench.serve,
            "state": bench.state,
            "event-reads": bench.event_reads,
            "spark": bench.spark,
            "spark-sizes": bench.spark_sizes,
        }
        measured: dict[str, Lines] = {}
        for part in options.only:
            measured[part] = measures[part](machine(busy_share(options.look_seconds)))
            _write(options.out, {part: measured[part]})
    print(renewed("", TITLES, measured))


def _write(document: Path, measured: Mapping[str, Lines]) -> None:
    """Write each part when it is measured, so that it is kept if a later part fails."""
    old = document.read_text(encoding="utf-8") if document.exists() else ""
    document.parent.mkdir(exist_ok=True)
    document.write_text(renewed(old, TITLES, measured), encoding="utf-8")


@dataclass
class Bench:
    """The parts of the benchmark, and their servers, which start when first needed."""

    options: argparse.Namespace
    stack: ExitStack

    def replay(self, on: str) -> Lines:
        """Replay, compared with the limit."""
        return report(measure_replay(self._server, self._streams, self.options.rounds, _say), on)

    def rebuild(self, on: str) -> Lines:
        """Verify and rebuild, compared with the import."""
        rounds = measure_rebuilds(self._server, self._streams, self.options.rounds, _say)
        large = self.options.large_events
        _say(f"verify and rebuild of {large:,} events")
        measured = {large: measure_large(self._server, large, self.options.seed)} if large else {}
        return rebuild_report(rounds, measured, on)

    def live(self, on: str) -> Lines:
        """Latency and idle CPU."""
        before = EVENTS_BEFORE if self.options.live_events is None else self.options.live_events
        extent = Extent(self._paces, self._few(WARM_UP), self.options.idle_seconds, before)
        _say("live: a log in Postgres")
        postgres = tail_of_postgres(self._server, extent)
        _say("live: a topic")
        return live_report({"Postgres": postgres, "Kafka": tail_of_kafka(self._server, self._topics, extent)}, on)

    def topics(self, on: str) -> Lines:
        """One follower with many topics."""
        crowd = Crowd(self.options.topics, EVENTS_EACH, self._paces[1], self.options.idle_seconds)
        _say(f"{crowd.topics} topics")
        return topics_report(many_topics(self._server, self._topics, crowd), on)

    def catch_up(self, on: str) -> Lines:
        """Catching up, compared with the limit."""
        _say("catching up from Kafka")
        rounds, seed = self.options.rounds, self.options.seed
        return catch_up_report(measure_catch_ups(self._server, self._topics, self._streams, rounds, seed), on)

    def peers(self, on: str) -> Lines:
        """Catching up, compared with what a user could write."""
        _say("catching up from Kafka, beside peers")
        events = islice(one_stream(OLDEST_COORDINATOR, self.options.seed), self.options.events)
        return peers_report(measure_peers(self._server, self._topics, events, self.options.rounds), on)

    def library(self, on: str) -> Lines:
        """The managers' store."""
        _say("the library's store")
        figures = measure_library(self._server, self._topics, self.options.events, self.options.rounds)
        return library_report(figures, on)

    def relations(self, on: str) -> Lines:
        """Every relation and as-of function."""
        extent = RelationsExtent(self.options.relation_events, self.options.relation_jobs)
        with kept_database(self.options.relation_home, extent, _say) as url:
            answers = list(measure_relations(url, extent, _say))
            return relations_report(answers, list(measure_limits(url, answers, extent, _say)), extent, on)

    def serve(self, on: str) -> Lines:
        """Many clients of the HTTP servers."""
        extent = ServeExtent(self.options.serve_jobs, self.options.clients, self.options.serve_seconds)
        return serve_report(measure_serve(self._server, extent, _say), on)

    def state(self, on: str) -> Lines:
        """Commits and restores of state."""
        from benchmarks.state import measure_state  # noqa: PLC0415 (needs the extra state)
        from benchmarks.state_report import state_report  # noqa: PLC0415

        figures = measure_state(self._topics, self.options.state_megabytes, self.options.rounds, _say)
        return state_report([*figures], on)

    def event_reads(self, on: str) -> Lines:
        """The data source on Spark, compared with JDBC."""
        from benchmarks.event_reads import event_reads_report, measure_event_reads  # noqa: PLC0415 (loads PySpark)

        _say("events read by Spark")
        rates = measure_event_reads(self._server, self.options.events, self.options.rounds)
        return event_reads_report(rates, self.options.events, on)

    def spark(self, on: str) -> Lines:
        """Replay and reads on Spark."""
        from benchmarks.spark_replay import measure_spark  # noqa: PLC0415 (loads PySpark)
        from benchmarks.spark_report import spark_report  # noqa: PLC0415

        return spark_report(measure_spark(self._server, self.options.events, self.options.rounds, _say), on)

    def spark_sizes(self, on: str) -> Lines:
        """What an event costs in small and large replays on Spark."""
        from benchmarks.spark_sizes import measure_sizes, sizes_report  # noqa: PLC0415 (loads PySpark)

        return sizes_report(measure_sizes(self._server, self.options.spark_sizes, self.options.rounds, _say), on)

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

    @property
    def _paces(self) -> list[Pace]:
        return [self._few(pace) for pace in PACES]

    def _few(self, pace: Pace) -> Pace:
        most: int | None = self.options.live_events
        return pace if most is None else Pace(pace.rate, min(pace.events, most))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make bench")
    parser.add_argument("--only", nargs="+", choices=list(TITLES), default=list(TITLES), metavar="PART")
    parser.add_argument(
        "--events", type=int, default=1_000_000, help="of replay, rebuild, catch-up, peers, library and spark"
    )
    parser.add_argument("--rounds", type=int, default=3, help="of replay, rebuild, catch-up, peers, library and spark")
    parser.add_argument("--large-events", type=int, default=4_000_000, help="of rebuild, for its memory; 0: none")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--spark-sizes", type=int, nargs="+", default=(100_000, 1_000_000), help="events of spark-sizes"
    )
    parser.add_argument("--live-events", type=int, help="maximum for each rate")
    parser.add_argument("--idle-seconds", type=float, default=10.0)
    parser.add_argument("--relation-events", type=int, default=4_000_000, help="of the large job")
    parser.add_argument("--relation-jobs", type=int, default=1_000, help="number of small jobs")
    parser.add_argument("--relation-home", type=Path, help="folder to keep the data of relations in, for later runs")
    parser.add_argument("--serve-jobs", type=int, default=1_000, help="number of jobs of serve")
    parser.add_argument("--serve-seconds", type=float, default=60.0)
    parser.add_argument("--clients", type=int, default=200, help="at once, of serve")
    parser.add_argument("--state-megabytes", type=int, nargs="+", default=[1, 10, 100], metavar="MB")
    parser.add_argument("--topics", type=int, default=TOPICS)
    parser.add_argument(
        "--look-seconds", type=float, default=LOOK_SECONDS, help="of watching other processes before a part"
    )
    parser.add_argument("--jars", type=Path, default=JARS, help="folder of the broker's jars")
    parser.add_argument("--out", type=Path, default=DOCUMENT)
    return parser


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("Terminated. Finished parts are kept."))  # stops the servers
    main(sys.argv[1:])
