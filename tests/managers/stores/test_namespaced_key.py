"""What a key of the coordinator stream names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventlog.errors import WireError
from managers.stores.keyed_state import NamespacedKey, encode_name, read_name


@pytest.mark.scenario("CSS-09")
def test_a_key_has_the_name_that_samza_gives_it_in_memory() -> None:
    key = NamespacedKey("set-config", "job.name")
    assert str(key) == '{"key":"job.name","namespace":"set-config"}'
    assert NamespacedKey.parse(str(key)) == key
    with pytest.raises(WireError, match="not an object with the strings"):
        NamespacedKey.parse('{"key":1,"namespace":"set-config"}')


@pytest.mark.scenario("CSS-09")
@given(st.text(), st.text())
def test_any_key_comes_back(namespace: str, key: str) -> None:
    named = NamespacedKey(namespace, key)
    assert NamespacedKey.parse(str(named)) == named
    if namespace != "set-task-partition-assignment":
        assert read_name(encode_name(named)) == named


@pytest.mark.parametrize("text", ['{"system":"s","partition":0}', "no JSON"])
def test_what_names_no_partition_is_itself(text: str) -> None:
    named = NamespacedKey("set-task-partition-assignment", text)
    assert read_name(encode_name(named)) == named


@pytest.mark.parametrize(
    "key", [b"", b"garbage", b'[1,"set-config",null]', b'[1,"a\nb","c"]', b'[1,"a","\xff"]', b"{}"]
)
def test_a_key_that_cannot_be_read_names_nothing(key: bytes) -> None:
    assert read_name(key) is None
