"""JSON bytes as Jackson writes and reads them, and partitions as JSON objects."""

import json

from hypothesis import given
from hypothesis import strategies as st

from eventlog.errors import WireError
from eventlog.partition import SystemStreamPartition
from eventlog.wire.jackson import decode_partition_key, dumps, encode_partition_key, loads, loads_pairs

ANY_TEXT = st.text(st.characters(), max_size=40)


@given(ANY_TEXT)
def test_text_comes_back_from_both_styles(text: str) -> None:
    whole = "".join("?" if "\ud800" <= character <= "\udfff" else character for character in text)
    assert loads(dumps(text)) == whole
    assert loads(dumps(text, ascii_surrogates=True)) == text


@given(ANY_TEXT)
def test_the_style_with_escapes_has_no_four_byte_characters(text: str) -> None:
    written = dumps(text, ascii_surrogates=True)
    assert max(written, default=0) < 0xF0


def test_astral_characters_and_halves_of_a_pair() -> None:
    assert dumps("\U0001f680") == '"\U0001f680"'.encode()
    assert dumps("\U0001f680", ascii_surrogates=True) == b'"\\uD83D\\uDE80"'
    assert dumps("\ud800 \udc00") == b'"? ?"'
    assert dumps("\ud800", ascii_surrogates=True) == b'"\\uD800"'


def test_nul_and_halves_of_a_pair_are_read() -> None:
    assert loads(b'"\\u0000\\ud800"') == "\x00\ud800"


def test_duplicate_names_are_kept_as_pairs() -> None:
    assert loads_pairs(b'{"a":1,"a":{"b":[]}}') == (("a", 1), ("a", (("b", []),)))


@given(st.binary(max_size=60))
def test_no_bytes_raise_another_error(data: bytes) -> None:
    try:
        value = loads(data)
    except WireError:
        return
    assert json.loads(data.decode()) == value


INT32 = st.integers(-(2**31), 2**31 - 1)


@given(st.builds(SystemStreamPartition, st.text(), st.text(), INT32, INT32))
def test_a_partition_comes_back(partition: SystemStreamPartition) -> None:
    assert decode_partition_key(encode_partition_key(partition)) == partition
