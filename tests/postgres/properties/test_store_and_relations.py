"""A store says what the relations say: after any writes, its own and of others, compactions and restarts."""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eventlog.events import NewEvent, RecordedEvent
from eventlog.log import EventLog, MemoryEventLog
from eventlog.messages import (
    Delete,
    Message,
    SetChangelogMapping,
    SetConfig,
    SetContainerHostMapping,
    SetExecutionEnvContainerIdMapping,
    SetTaskContainerMapping,
    SetTaskModeMapping,
    SetTaskPartitionMapping,
    UnknownMessage,
)
from eventlog.partition import SystemStreamPartition
from eventlog.postgres.connection import Connection
from eventlog.streams import StreamIdentity, coordinator_stream_name, identify
from eventlog.wire.coordinator import encode_message
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.stores.keyed_state import NamespacedKey
from tests.contracts.event_log import clock
from tests.fixtures.compaction import latest_per_key
from tests.fixtures.numbers import NUMBERS
from tests.fixtures.properties.importing import import_events
from tests.oracle import ROWS, Row


class CompactingLog(MemoryEventLog):
    """A log in memory, of which a reader sees what was not compacted away."""

    def __init__(self, stream: StreamIdentity) -> None:
        super().__init__(stream, clock=clock)
        self._dropped: set[int] = set()

    def read(self, first: int = 0, until: int | None = None) -> Iterator[RecordedEvent]:
        """See `EventLog.read`; offsets have gaps."""
        return (event for event in super().read(first, until) if event.offset not in self._dropped)

    def everything(self) -> list[RecordedEvent]:
        """Every event that ever was on the log."""
        return list(super().read())

    def compact(self, upto: int, *, keep_tombstones: bool) -> None:
        """Clean what lies below an offset."""
        before = list(self.read())
        kept = latest_per_key(before, upto=upto, keep_tombstones=keep_tombstones)
        self._dropped |= {event.offset for event in before} - {event.offset for event in kept}


pytestmark = pytest.mark.slow

TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=5)
NAMES = st.sampled_from(("task.opts", 'clé "✓"'))
TASKS = st.sampled_from(("Partition 0", "tâche.1"))
PARTITION = st.builds(
    SystemStreamPartition, st.just("kafka"), st.just("dotted.stream"), st.integers(0, 1), st.sampled_from((-1, -1, 1))
)
KINDS: Final[tuple[st.SearchStrategy[Message], ...]] = (
    st.builds(SetConfig, config_key=NAMES, config_value=TEXT),
    st.builds(SetChangelogMapping, task_name=TASKS, changelog_partition=st.integers(0, 3)),
    st.builds(SetContainerHostMapping, container_id=NAMES, host_name=TEXT, jmx_url=st.none() | TEXT),
    st.builds(SetExecutionEnvContainerIdMapping, container_id=NAMES, execution_container_id=TEXT),
    st.builds(SetTaskContainerMapping, task_name=TASKS, container_id=TEXT),
    st.builds(SetTaskModeMapping, task_name=TASKS, task_mode=st.sampled_from(("Active", "Standby"))),
    st.builds(SetTaskPartitionMapping, partition=PARTITION, task_names=st.lists(TASKS, max_size=3).map(tuple)),
    st.builds(UnknownMessage, message_type=st.just("of-the-future"), key=NAMES, value=TEXT),
)
SEPARATORS = st.sampled_from(((",", ":"), (", ", ": "), (" ,\n", ":\t")))

SHOWN: Final[dict[type[Message], tuple[str, str]]] = {
    SetConfig: ("config", "config_key config_value"),
    SetChangelogMapping: ("changelog_mapping", "task_name changelog_partition"),
    SetContainerHostMapping: ("container_host", "container_id host_name jmx_url jmx_tunneling_url"),
    SetExecutionEnvContainerIdMapping: ("container_execution", "container_id execution_container_id"),
    SetTaskContainerMapping: ("task_container", "task_name container_id"),
    SetTaskModeMapping: ("task_mode", "task_name task_mode"),
    SetTaskPartitionMapping: ("task_partition", ""),
    UnknownMessage: ("other_message", "message_type key value"),
}
"""The relation that shows messages of a class, and what of them stands in its columns."""
COLUMNS: Final = {relation: ROWS[relation] for relation, _ in SHOWN.values()} | {"config": "config_key, config_value"}


class Job:
    """A log, a store that stays open over it, and what is done to both."""

    def __init__(self, name: str) -> None:
        self.log = CompactingLog(identify(coordinator_stream_name(name)))
        self.store = opened(self.log)

    def put(self, messages: list[Message]) -> None:
        """Set keys in the store, which then has them."""
        entries = {named(message): value_of(message) for message in messages}
        self.store.put_all(entries)
        assert {name: self.store.get(name) for name in entries} == entries

    def delete(self, messages: list[Message]) -> None:
        """Delete keys in the store, which then has none of them, however others have spelled them."""
        names = [named(message) for message in messages]
        self.store.delete_all(names)
        assert [name for name in names if self.store.get(name) is not None] == []

    def write(self, gone: list[Message], messages: list[Message]) -> None:
        """Delete keys and set some, at once; whichever is in both is set."""
        ends = [Delete(message_type=message.message_type, key=message.key) for message in gone]
        self.store.write([*ends, *messages])
        entries = {named(message): value_of(message) for message in messages}
        held = {name: self.store.get(name) for name in {*entries, *map(named, gone)}}
        assert {name: value for name, value in held.items() if value is not None} == entries

    def hear(self, message: Message, spell: Callable[[Message], bytes], *, ends: bool) -> None:
        """Another program sets a key, or writes its end, in a spelling of its own."""
        self.log.append([NewEvent(spell(message), None if ends else value_of(message))])

    def compact(self, share: float, *, keep_tombstones: bool) -> None:
        """Compact a part of the log; a reader away for longer than tombstones are kept must read it all again."""
        if not keep_tombstones:
            self.store.all()
        self.log.compact(round(share * self.log.end_offset()), keep_tombstones=keep_tombstones)

    def restart(self) -> None:
        """Another program has a store of the same log."""
        self.store.close()
        self.store = opened(self.log)


def opened(log: EventLog) -> CoordinatorStreamStore:
    store = CoordinatorStreamStore(log)
    store.init()
    return store


def named(message: Message) -> NamespacedKey:
    return NamespacedKey(message.message_type, message.key)


def value_of(message: Message) -> bytes:
    value = encode_message(message)[1]
    assert value is not None
    return value


def spelled(
    message: Message, version: int, separators: tuple[str, str], is_ascii: bool, further: list[int], has_bucket: bool
) -> bytes:
    """A key in a spelling that says the same as Samza's."""
    write = partial(json.dumps, separators=separators, ensure_ascii=is_ascii)
    key = message.key
    if isinstance(message, SetTaskPartitionMapping):
        fields = json.loads(key)
        if message.partition.key_bucket == -1 and not has_bucket:
            del fields["keyBucket"]
        key = write(dict(reversed(fields.items())))
    return write([version, message.message_type, key, *further]).encode()


SPELLING = st.builds(
    lambda *how: lambda message: spelled(message, *how),
    st.sampled_from((1, 1, 2)),
    SEPARATORS,
    st.booleans(),
    st.sampled_from(([], [], [7])),
    st.booleans(),
)


def steps(kinds: list[st.SearchStrategy[Message]]) -> st.SearchStrategy[list[Callable[[Job], None]]]:
    """What may happen to messages of few kinds, so that the same keys are met again and again."""
    message = st.one_of(kinds)
    messages = st.lists(message, max_size=3)
    heard = st.builds(partial, st.just(Job.hear), message=message, spell=SPELLING, ends=st.booleans())
    cleaned = st.builds(partial, st.just(Job.compact), share=st.floats(0, 1), keep_tombstones=st.booleans())
    return st.lists(
        st.one_of(
            st.builds(partial, st.just(Job.put), messages=messages),
            st.builds(partial, st.just(Job.delete), messages=messages),
            st.builds(partial, st.just(Job.write), gone=messages, messages=messages),
            heard,
            cleaned,
            st.just(Job.restart),
        ),
        min_size=10,
        max_size=30,
    )


STEPS = st.lists(st.sampled_from(KINDS), min_size=1, max_size=2).flatmap(steps)


def shown_by_store(store: CoordinatorStreamStore) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {relation: [] for relation in COLUMNS}
    for namespace in {name.namespace for name in store.all()}:
        for message in store.messages(namespace).values():
            relation, columns = SHOWN[type(message)]
            found[relation] += (
                task_rows(message)
                if isinstance(message, SetTaskPartitionMapping)
                else [tuple(getattr(message, column) for column in columns.split())]
            )
    return in_order(found)


def task_rows(message: SetTaskPartitionMapping) -> list[Row]:
    at = message.partition
    return [(at.system, at.stream, at.partition, at.key_bucket, task) for task in dict.fromkeys(message.task_names)]


def shown_by_relations(connection: Connection, name: str) -> dict[str, list[Row]]:
    queries = {
        relation: f"select {columns} from coordinator.{relation} where job_name = %s"
        for relation, columns in COLUMNS.items()
    }
    return in_order(
        {relation: connection.execute(query.encode(), (name,)).fetchall() for relation, query in queries.items()}
    )


def in_order(rows: Mapping[str, list[Any]]) -> dict[str, list[Row]]:
    return {relation: sorted(each, key=repr) for relation, each in rows.items()}


@settings(max_examples=200, deadline=None)
@given(happened=STEPS)
def test_a_store_on_a_compacted_log_equals_the_fold_of_all_events(
    database: Connection, happened: list[Callable[[Job], None]]
) -> None:
    """Every example is a job of the one database."""
    name = f"stored-{next(NUMBERS)}"
    job = Job(name)
    for step in happened:
        step(job)
    import_events(database, job.log.stream_name, job.log.everything())
    expected = shown_by_relations(database, name)
    assert shown_by_store(job.store) == expected
    assert shown_by_store(opened(job.log)) == expected
