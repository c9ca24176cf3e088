"""Envelopes of messages, and one namespace of a store."""

from unittest.mock import Mock

import pytest

from managers.stored_messages import NamespaceAwareCoordinatorStreamStore, make_envelope, mark_forced
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.stores.keyed_state import NamespacedKey
from tests.contracts.event_log import NOW_MS, clock


@pytest.mark.scenario("MSG-20")
def test_a_source_is_never_empty() -> None:
    sources = [make_envelope(source, clock=clock).source for source in (None, "", "tool")]
    assert sources == ["Unknown", "Unknown", "tool"]
    assert make_envelope(clock=clock).timestamp == NOW_MS
    assert mark_forced("tool") == "tool (forced)"


@pytest.mark.scenario("CSS-06", "CSS-01")
def test_all_keys_of_a_namespace_come_by_their_plain_names(store: CoordinatorStreamStore) -> None:
    view = NamespaceAwareCoordinatorStreamStore(store, "namespace")
    view.put_all({f"test-key{number}": b"v%d" % number for number in (1, 2, 3)})
    assert view.all() == {"test-key1": b"v1", "test-key2": b"v2", "test-key3": b"v3"}
    assert (view.get("test-key2"), view.get("test-key4")) == (b"v2", None)


@pytest.mark.scenario("CSS-07")
def test_a_namespace_is_no_prefix(store: CoordinatorStreamStore) -> None:
    store.put_all({NamespacedKey("ns", "testKey"): b"1", NamespacedKey("ns1", "key2"): b"2"})
    store.put(NamespacedKey("namespace1", "key3"), b"3")
    assert NamespaceAwareCoordinatorStreamStore(store, "ns").all() == {"testKey": b"1"}


@pytest.mark.scenario("CSS-08")
def test_a_view_asks_its_store_once_and_leaves_it_open(store: CoordinatorStreamStore) -> None:
    noting = Mock(wraps=store)
    view = NamespaceAwareCoordinatorStreamStore(noting, "abcde")
    view.init()
    view.put("testKey", b"v")
    view.put_all({"x": b"1", "y": b"2"})
    assert view.get("testKey") == b"v"
    view.delete("testKey")
    view.delete_all(["x", "y"])
    view.flush()
    view.close()
    assert [name for name, *_ in noting.method_calls] == ["put_all", "put_all", "get", "delete_all", "delete_all"]
    assert store.all() == {}
    with pytest.raises(ValueError, match="namespace must be a message type"):
        NamespaceAwareCoordinatorStreamStore(store, "")
