"""ConfigSubscription: the changes of a running job's config, in order, each once."""

from eventlog.events import NewEvent
from eventlog.log import EventLog
from managers.config.job_config import ConfigSubscription
from tests.builders import changelog_set, config_deleted, config_set
from tests.managers.log_makers import LogMaker


def test_changes_are_returned_in_order_and_once(coordinator_log: EventLog, logs: LogMaker) -> None:
    coordinator_log.append([config_set("a", "1"), config_set("b", "1")])
    subscription = ConfigSubscription(coordinator_log)
    assert subscription.poll() == ()
    others = logs.open_again(coordinator_log)
    others.append([config_set("b", "2"), config_set("a", "1"), changelog_set(), config_set("b", "3")])
    others.append([config_deleted("a"), config_set("c", "")])
    told = [change[1:] for change in subscription.poll()]
    assert told == [("b", "1", "2"), ("b", "2", "3"), ("a", "1", None), ("c", None, "")]
    assert (subscription.poll(), subscription.position) == ((), coordinator_log.end_offset())


def test_only_subscribed_keys_are_returned(coordinator_log: EventLog) -> None:
    subscription = ConfigSubscription(coordinator_log, ["task.*", "a"])
    coordinator_log.append([config_set(key, "1") for key in ("task.x", "a", "ab", "job.name")])
    assert [change.config_key for change in subscription.poll()] == ["task.x", "a"]


def test_another_program_continues_at_the_position(coordinator_log: EventLog, logs: LogMaker) -> None:
    coordinator_log.append([config_set("a", "1")])
    position = ConfigSubscription(coordinator_log).position
    coordinator_log.append([config_set("a", "2"), config_set("a", "3")])
    again = ConfigSubscription(logs.open_again(coordinator_log), position=position)
    assert [change[1:] for change in again.poll()] == [("a", "1", "2"), ("a", "2", "3")]
    assert ConfigSubscription(coordinator_log, position=10**6).poll() == ()


def test_unreadable_values_and_other_spellings(coordinator_log: EventLog) -> None:
    subscription = ConfigSubscription(coordinator_log)
    value = config_set("a", "2").value
    spelled = b'[1, "set-config", "a"]'
    coordinator_log.append([config_set("a", "1"), NewEvent(config_set("a").key, b"garbage"), NewEvent(b"x", b"y")])
    coordinator_log.append([NewEvent(spelled, value), NewEvent(spelled, None)])
    told = [change[1:] for change in subscription.poll()]
    assert told == [("a", None, "1"), ("a", "1", "2"), ("a", "2", "1")]
