"""The figures of the peers as Markdown."""

from collections.abc import Sequence

from benchmarks.markdown import Lines, spread, table
from benchmarks.peers import PeerRate, PeerRound


def peers_report(rounds: Sequence[PeerRound], machine: str) -> Lines:
    """How many events a second each program reads, and how many times faster coordstream is."""
    ours = [one.coordstream for one in rounds]
    names = rounds[0].peers
    peers = [_peer(name, ours, [one.peers[name] for one in rounds]) for name in names]
    return [
        "The coordinator stream of a job of the oldest kind, from Kafka. The peers (`benchmarks/sqlalchemy_peers.py`)",
        "read its first events with kafka-python; the library eventsourcing reads checkpoints from its own log, in one",
        "transaction each. They keep the current offsets only. Those with a history also keep each event (the library",
        "has it in its log) and the offsets of each checkpoint; coordstream always does, and also keeps what other",
        "messages say. The time of coordstream contains the start of its process, that of the peers does not.",
        f"Rounds: {len(rounds)}.",
        machine,
        "",
        *table(
            ("program", "events", "events/s", "coordstream is faster by"),
            [("coordstream follow, from the start of its process", *_rates(ours), "1"), *peers],
        ),
    ]


def _peer(name: str, ours: Sequence[PeerRate], peers: Sequence[PeerRate]) -> tuple[str, ...]:
    times = [our.rate / peer.rate for our, peer in zip(ours, peers, strict=True)]
    return name, *_rates(peers), f"{spread(times, 1)}"


def _rates(runs: Sequence[PeerRate]) -> tuple[str, str]:
    return f"{runs[0].events:,}", spread([run.rate for run in runs])
