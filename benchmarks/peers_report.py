"""The figures of the peers as Markdown."""

from collections.abc import Sequence

from benchmarks.markdown import Lines, spread, table
from benchmarks.peers import COMMIT_EVERY, PeerRate, PeerRound


def peers_report(rounds: Sequence[PeerRound], machine: str) -> Lines:
    """How many events a second each program reads, and how many times faster coordstream is."""
    ours = [one.coordstream for one in rounds]
    rows = [
        ("coordstream follow, from the start of its process", *_rates(ours), "1"),
        _peer(f"SQLAlchemy Core: upsert, commit every {COMMIT_EVERY}", ours, [one.core for one in rounds]),
        _peer(f"SQLAlchemy's ORM: merge, commit every {COMMIT_EVERY}", ours, [one.orm for one in rounds]),
        _peer("the library eventsourcing, its log in Postgres", ours, [one.eventsourcing for one in rounds]),
    ]
    return [
        "The coordinator stream of a job of the oldest kind, from Kafka. The peers (`benchmarks/peers.py`) read its",
        "first events with kafka-python and keep the current offsets only; the library eventsourcing reads checkpoints",
        f"from its own log, in one transaction each. Rounds: {len(rounds)}.",
        machine,
        "",
        *table(("program", "events", "events/s", "coordstream is faster by"), rows),
    ]


def _peer(name: str, ours: Sequence[PeerRate], peers: Sequence[PeerRate]) -> tuple[str, ...]:
    times = [our.rate / peer.rate for our, peer in zip(ours, peers, strict=True)]
    return name, *_rates(peers), f"{spread(times, 1)}"


def _rates(runs: Sequence[PeerRate]) -> tuple[str, str]:
    return f"{runs[0].events:,}", spread([run.rate for run in runs])
