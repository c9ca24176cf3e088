"""What an operator is told before a startpoint is written."""

from collections.abc import Mapping

import pytest

from eventlog.partition import StartpointKey, SystemStreamPartition, TaskName
from managers.startpoints.startpoint_warnings import NO_LEADER_FACTORY, job_warnings, key_warnings

PLAIN = SystemStreamPartition("kafka", "orders", 0)


@pytest.mark.scenario("HRD-42")
def test_a_coordinator_that_hands_out_nothing_is_told() -> None:
    never = "this one will never be followed"
    assert NO_LEADER_FACTORY == "org.apache.samza.standalone.PassthroughJobCoordinatorFactory"
    (warning,) = job_warnings({"job.coordinator.factory": NO_LEADER_FACTORY})
    assert warning.code == "never_followed"
    assert str(warning) == f"the job's coordinator ({NO_LEADER_FACTORY}) hands out no startpoints: {never}"


@pytest.mark.parametrize(
    ("config", "code", "words"),
    [
        ({"job.startpoint.enabled": "false"}, "never_followed", "job.startpoint.enabled is not true"),
        ({"yarn.am.high-availability.enabled": "true"}, "waits_for_a_change", "only if it is a new deployment"),
        ({"stores.counts.changelog": "kafka.counts"}, "stores_stay", "the state store counts will not follow"),
        (
            {"stores.b.changelog": "x", "stores.a.changelog": "x", "stores.c.factory": "x", "stores.d.changelog": ""},
            "stores_stay",
            "the state stores a, b will not follow",
        ),
    ],
)
def test_what_a_job_does_not_do_is_told(config: Mapping[str, str], code: str, words: str) -> None:
    (warning,) = job_warnings(config)
    assert warning.code == code
    assert words in warning.text


def test_a_plain_job_and_a_plain_key_give_no_warning() -> None:
    assert (
        job_warnings({"job.name": "orders", "job.coordinator.factory": "org.apache.samza.zk.ZkJobCoordinatorFactory"})
        == ()
    )
    for key in (StartpointKey(PLAIN), StartpointKey(PLAIN, TaskName("Partition 0"))):
        assert key_warnings(key, {"Partition 0": [PLAIN]}) == key_warnings(key, {}) == ()


@pytest.mark.parametrize(
    ("stream", "words"),
    [
        ("a.5", "a job on Samza 1.8.0 takes it for partition 5 of a"),
        ("v1.2.3", "takes it for partition 2 of v1"),
        ("com.orders", "stops with an error when it reads what its tasks were handed"),
    ],
)
def test_a_dotted_stream_is_told(stream: str, words: str) -> None:
    dotted = SystemStreamPartition("kafka", stream, 0)
    warnings = key_warnings(StartpointKey(dotted), {"t": [dotted]})
    assert [warning.code for warning in warnings] == ["dotted_stream"]
    assert words in warnings[0].text


def test_a_key_that_can_be_read_two_ways_is_told_unless_the_tasks_settle_it() -> None:
    plain, dotted = SystemStreamPartition("k", "s", 1), SystemStreamPartition("k", "s.1", 2)
    key = StartpointKey(plain, TaskName("2"))
    both = {"2": [plain], "t": [dotted]}
    for tasks in (both, {}, {"t": [dotted]}):
        (warning,) = key_warnings(key, tasks)
        assert warning.code == "ambiguous_key"
        assert "k.s.1.2 can also be read as partition 2 of k.s.1 in every task" in warning.text
    assert key_warnings(key, {"2": [plain]}) == ()
