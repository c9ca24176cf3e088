"""Read-only dictionaries."""

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from eventlog.frozen_dict import FrozenDict, frozen_deeply


@pytest.mark.parametrize(
    "change", ["__setitem__", "__delitem__", "__ior__", "clear", "pop", "popitem", "setdefault", "update"]
)
def test_every_change_is_refused(change: str) -> None:
    given = FrozenDict({"a": 1})
    with pytest.raises(TypeError, match=r"read-only\. Change a copy: dict\(mapping\)"):
        getattr(given, change)("a", 2)
    assert given == {"a": 1}


def test_json_is_copied_to_its_leaves() -> None:
    given: dict[str, Any] = {"a": [{"b": [1]}], "c": {"d": None}}
    copied = frozen_deeply(given)
    given["a"][0]["b"].append(2)
    assert json.dumps(copied) == '{"a": [{"b": [1]}], "c": {"d": null}}'
    assert hash(copied) == hash(frozen_deeply({"c": {"d": None}, "a": ({"b": (1,)},)}))


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))  # noqa: S301 (our own bytes)


@pytest.mark.parametrize("renew", [copy.copy, copy.deepcopy, pickled])
def test_a_copy_is_read_only_too(renew: Callable[[Any], Any]) -> None:
    one = renew(FrozenDict({"a": 1}))
    assert one == {"a": 1}
    assert isinstance(one, FrozenDict)
