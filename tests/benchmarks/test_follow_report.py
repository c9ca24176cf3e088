"""The follower's figures stand beside their goals, and what was missed can be seen."""

from benchmarks.catch_up import CatchUp, CatchUps
from benchmarks.follow_report import catch_up_report, live_report, topics_report
from benchmarks.idle import Idle
from benchmarks.limit import Load
from benchmarks.live import Pace, Run
from benchmarks.live_tail import LiveTail
from benchmarks.many_topics import Crowd, ManyTopics

FAST = Run(Pace(100, 4), [1.0, 2.0, 3.0, 4.0], 99.9, 0.05)
SLOW = Run(Pace(1_000, 4), [1.0, 20.0, 30.0, 60.0], 800.0, None)


def test_latencies_are_shares_of_the_goal_of_their_log() -> None:
    tails = {"Postgres": LiveTail([FAST], Idle(0.006, 0.001)), "Kafka": LiveTail([SLOW], Idle(None, None))}
    lines = live_report(tails, "A machine.")
    assert "A machine." in lines
    assert "| Postgres, 100/s | 0.40 | 0.27 | 2.0 | 4.0 | 4.0 | 5.0 % |" in lines
    assert "| Kafka, 1,000/s (reached 800/s) | 2.00 | 2.00 | 20.0 | 60.0 | 60.0 | unknown |" in lines
    assert "| Postgres log | 0.20 | 0.6 % | 0.1 % |" in lines
    assert "| Kafka log | unknown | unknown | unknown |" in lines


def test_many_topics_are_reported_with_their_cost() -> None:
    figures = ManyTopics(Crowd(300), 12.34, 2, None, 150_000_000, Idle(0.02, 0.0), FAST)
    lines = topics_report(figures, "A machine.")
    assert "| until all are caught up and live | 12.3 s |" in lines
    assert "| connections to the database | 2 |" in lines
    assert "| connections to the broker | unknown |" in lines
    assert "| peak memory | 150 MB |" in lines
    assert "| idle CPU of the follower | 2.0 % |" in lines
    assert any(line.startswith("| Kafka, one of 300 topics | 0.20 | 0.13 |") for line in lines)


def test_catching_up_is_a_share_of_the_limit_of_the_same_round() -> None:
    rounds = [CatchUp(1000, 1.0, 10.0, 0.02, 90_000_000), CatchUp(1000, 2.0, 20.0, 0.04, 80_000_000)]
    figures = CatchUps(rounds, [Load(4.0, 1.0, 3.0), Load(2.0, 1.0, 3.0)])
    lines = catch_up_report({"one topic": figures}, "A machine.")
    assert "| one topic | 0.25 (0.10 to 0.40) | 75 (50 to 100) | 1.5 | 375 (250 to 500) | 30.0 | 90 MB |" in lines


def test_what_the_system_does_not_show_is_unknown() -> None:
    figures = CatchUps([CatchUp(1000, 1.0, 10.0, None, None)], [Load(4.0, 1.0, None)])
    lines = catch_up_report({"one topic": figures}, "A machine.")
    assert lines[-1].endswith("| unknown | unknown |")
