"""A store after any writes, compactions and restarts says what the fold of the log says."""

import json

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from eventlog.events import NewEvent
from managers.config.job_config import config_value, delete_config, read_config, set_config, write_config
from managers.stored_messages import make_envelope
from managers.stores.coordinator_store import CoordinatorStreamStore
from tests.contracts.event_log import STREAM, clock
from tests.oracle import config_of, coordinator_state
from tests.properties.compacting_log import CompactingLog

pytestmark = pytest.mark.slow

KEYS = st.sampled_from(("a", "job.name", "clé.✓", 'quote"'))
TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=5)
UNREADABLE = (b"", b"garbage", b'{"values":[]}', b'{"values":{"value":7}}')
DELETES = (None, b'{"values":{"value":null}}', b'{"values":{}}')


class StoreOfACompactedLog(RuleBasedStateMachine):
    """One store stays open the whole time, another is created for each comparison."""

    def __init__(self) -> None:
        super().__init__()
        self.log = CompactingLog(STREAM)
        self.store = CoordinatorStreamStore(self.log)
        self.store.init()

    @rule(key=KEYS, text=TEXTS)
    def set_here(self, key: str, text: str) -> None:
        set_config(self.store, key, text, clock=clock)
        assert read_config(self.store)[key] == text

    @rule(key=KEYS)
    def delete_here(self, key: str) -> None:
        delete_config(self.store, key, clock=clock)
        assert key not in read_config(self.store)

    @rule(config=st.dictionaries(KEYS, TEXTS))
    def deploy(self, config: dict[str, str]) -> None:
        write_config(self.store, config, clock=clock)
        assert read_config(self.store) == config

    @rule(key=KEYS, text=TEXTS, separator=st.sampled_from((", ", ",")), version=st.sampled_from((1, 2)))
    def set_elsewhere(self, key: str, text: str, separator: str, version: int) -> None:
        self._append(key, config_value(key, text, make_envelope("other", clock=clock)), separator, version)

    @rule(key=KEYS, value=st.sampled_from(DELETES), separator=st.sampled_from((", ", ",")))
    def delete_elsewhere(self, key: str, value: bytes | None, separator: str) -> None:
        self._append(key, value, separator, 1)

    @rule(key=KEYS, value=st.sampled_from(UNREADABLE))
    def write_garbage(self, key: str, value: bytes) -> None:
        self._append(key, value, ",", 1)

    @rule(upto=st.integers(0, 60), keep_tombstones=st.booleans())
    def compact(self, upto: int, keep_tombstones: bool) -> None:
        self.look()  # a reader that was away for longer than tombstones are kept must read the whole log again
        self.log.compact(upto, keep_tombstones=keep_tombstones)

    @invariant()
    def look(self) -> None:
        kept = list(self.log.read())
        expected = config_of(coordinator_state(kept))
        assert read_config(self.store) == expected
        with CoordinatorStreamStore(self.log) as anew:
            assert anew.all() == self.store.all()
            assert read_config(anew) == expected

    def _append(self, key: str, value: bytes | None, separator: str, version: int) -> None:
        spelled = json.dumps([version, "set-config", key], separators=(separator, ":"), ensure_ascii=False)
        self.log.append([NewEvent(spelled.encode(), value)])


TestStoreOfACompactedLog = StoreOfACompactedLog.TestCase
TestStoreOfACompactedLog.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
