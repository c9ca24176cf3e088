"""Many requests written or deleted at once, so that a stream is not rewound by half."""

from collections.abc import Collection, Mapping

from eventlog.startpoint import Startpoint
from managers.startpoints.startpoint_records import REQUESTS, request_value
from managers.stores.coordinator_store import CoordinatorStreamStore
from managers.stores.namespaced_key import NamespacedKey


def request_keys(store: CoordinatorStreamStore) -> list[str]:
    """The texts of the keys of all requests, also of those that can't be read; sorted."""
    return sorted(name.key for name in store.all(REQUESTS))


def write_requests(store: CoordinatorStreamStore, requests: Mapping[str, Startpoint]) -> None:
    """Request startpoints, by the texts of their keys: all of them or none, unless they are more than half a megabyte.

    Raises:
        AppendRefused: the log takes no events.
    """
    store.put_all({NamespacedKey(REQUESTS, key_text): request_value(each) for key_text, each in requests.items()})


def delete_requests(store: CoordinatorStreamStore, key_texts: Collection[str]) -> None:
    """Take requests back, in every spelling of their keys that lives. Raises as `write_requests`."""
    store.delete_all([NamespacedKey(REQUESTS, key_text) for key_text in key_texts])
