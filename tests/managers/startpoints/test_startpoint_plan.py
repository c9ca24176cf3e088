"""What requests for other starting offsets would change."""

from eventlog.messages import Message, SetConfig, SetTaskPartitionMapping
from eventlog.partition import SystemStreamPartition
from eventlog.starting_offset import KAFKA_SYSTEM_FACTORY, StartingOffset
from eventlog.startpoint import EXPIRY_MS, Startpoint, StartpointOldest, StartpointSpecific
from managers.startpoints.startpoint_facts import StartpointFacts
from managers.startpoints.startpoint_plan import Requests, changed_starts, plan_hand_out

NOW = 1_700_000_000_000
IN_0 = SystemStreamPartition("kafka", "in", 0)
IN_1 = SystemStreamPartition("kafka", "in", 1)
BUCKET = SystemStreamPartition("kafka", "in", 1, 3)
CHECKPOINTS = {"a": {IN_0: "41"}, "b": {IN_0: "51", BUCKET: "61"}}
CONFIG = {"systems.kafka.samza.factory": KAFKA_SYSTEM_FACTORY, "task.inputs": "kafka.in"}
BACK = StartpointSpecific("7", NOW)


def facts(
    requests: Requests | None = None,
    handed_out: dict[str, dict[SystemStreamPartition, Startpoint]] | None = None,
    readers: dict[SystemStreamPartition, tuple[str, ...]] | None = None,
    config: dict[str, str] = CONFIG,
) -> StartpointFacts:
    read = readers or {IN_0: ("a", "b"), BUCKET: ("b",)}
    said: list[Message] = [SetConfig(config_key=key, config_value=value) for key, value in config.items()]
    said += [SetTaskPartitionMapping(partition=each, task_names=tasks) for each, tasks in read.items()]
    known = StartpointFacts.of(said)
    return StartpointFacts(known.job, known.readers, requests or {}, handed_out or {})


def starts(known: StartpointFacts, after: Requests) -> dict[tuple[str, str], tuple[str, str]]:
    """Before and after, by task and partition."""
    found = changed_starts(known, CHECKPOINTS, after, NOW)
    return {(each.task_name, str(each.partition)): (told(each.before), told(each.after)) for each in found}


def told(start: StartingOffset) -> str:
    return f"{start.decided_by} {start.startpoint_type or ''} {start.starting_offset or ''}".replace("  ", " ").strip()


def test_a_request_for_every_task_moves_each_that_reads_the_partition() -> None:
    assert starts(facts(), {"kafka.in.0": BACK}) == {
        ("a", "kafka.in.0"): ("checkpoint 42", "startpoint specific 7"),
        ("b", "kafka.in.0"): ("checkpoint 52", "startpoint specific 7"),
    }


def test_a_request_for_one_task_moves_that_one() -> None:
    assert starts(facts(), {"kafka.in.0.b": BACK}) == {
        ("a", "kafka.in.0"): ("checkpoint 42", "checkpoint 42"),
        ("b", "kafka.in.0"): ("checkpoint 52", "startpoint specific 7"),
    }


def test_only_what_differs_is_told_and_a_key_bucket_does_not_matter() -> None:
    before = {"kafka.in.0": BACK}
    assert starts(facts(before), before) == {}
    assert starts(facts(before), {**before, "kafka.in.1": BACK}) == {
        ("b", "kafka.in.1"): ("checkpoint 62", "startpoint specific 7")
    }


def test_a_newer_request_of_the_task_goes_before() -> None:
    newer = {"kafka.in.0.b": StartpointOldest(NOW + 1)}
    found = starts(facts(newer), {**newer, "kafka.in.0": BACK})
    assert found["b", "kafka.in.0"] == ("startpoint oldest", "startpoint oldest")


def test_without_a_request_the_next_in_line_decides() -> None:
    expired = {"kafka.in.0": StartpointSpecific("3", NOW - EXPIRY_MS - 1)}
    held: dict[str, dict[SystemStreamPartition, Startpoint]] = {"a": {IN_0: StartpointSpecific("9", 1)}}
    assert starts(facts(expired, held), {}) == {
        ("a", "kafka.in.0"): ("startpoint specific 9", "startpoint specific 9"),
        ("b", "kafka.in.0"): ("checkpoint 52", "checkpoint 52"),
    }


def test_a_key_that_can_be_read_in_two_ways_moves_nobody() -> None:
    one, other = SystemStreamPartition("kafka", "s", 1), SystemStreamPartition("kafka", "s.1", 2)
    known = facts(readers={one: ("2",), other: ("u",)}, config={})
    found = starts(known, {"kafka.s.1.2": BACK})
    assert {key: after for key, (_, after) in found.items()} == {
        ("2", "kafka.s.1"): "default upcoming",
        ("u", "kafka.s.1.2"): "default upcoming",
    }


def test_a_stream_that_is_no_input_is_not_told_of() -> None:
    known = facts(readers={IN_0: ("a",), SystemStreamPartition("kafka", "gone", 0): ("a",)})
    assert starts(known, {"kafka.gone.0": BACK, "kafka.nobody.0": BACK}) == {}


def test_the_next_start_hands_out_what_lives_and_is_read() -> None:
    requests = {
        "kafka.in.0": BACK,
        "kafka.in.0.a": StartpointSpecific("8", NOW - 1),
        "kafka.in.1": StartpointSpecific("3", NOW - EXPIRY_MS - 1),
        "kafka.gone.0": BACK,
    }
    planned = plan_hand_out(facts(requests), NOW)
    assert planned.handed == {"a": {IN_0: BACK}, "b": {IN_0: BACK}}
    assert set(planned.taken) == {"kafka.in.0", "kafka.in.0.a"}
    assert plan_hand_out(facts(requests, readers={IN_1: ("b",)}), NOW).handed == {}
