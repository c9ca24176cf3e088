"""Each peer is compared with coordstream in the same round."""

from benchmarks.peers import PeerRate, PeerRound
from benchmarks.peers_report import peers_report


def test_times_are_of_the_same_round() -> None:
    orm = PeerRate(200, 2.0)
    rounds = [
        PeerRound(PeerRate(60_000, 1.0), {"merge": orm, "eventsourcing": PeerRate(100, 0.25)}),
        PeerRound(PeerRate(60_000, 2.0), {"merge": orm, "eventsourcing": PeerRate(100, 0.5)}),
    ]
    lines = peers_report(rounds, "A machine.")
    assert "| merge | 200 | 100 (100 to 100) | 450.0 (300.0 to 600.0) |" in lines
    assert "| eventsourcing | 100 | 300 (200 to 400) | 150.0 (150.0 to 150.0) |" in lines
