"""Partitions as JSON objects."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventlog.errors import WireError
from eventlog.partition import SystemStreamPartition
from eventlog.wire.partition_json import decode_partition_key, encode_partition_key

INT32 = st.integers(-(2**31), 2**31 - 1)


@given(st.builds(SystemStreamPartition, st.text(), st.text(), INT32, INT32))
def test_a_partition_comes_back(partition: SystemStreamPartition) -> None:
    assert decode_partition_key(encode_partition_key(partition)) == partition


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"system":"k","stream":"s","partition":0,"keyBucket":null}', "missing_field"),
        ('{"system":"k","stream":"s","partition":0,"keyBucket":"1"}', "wrong_type"),
        ('{"system":1,"stream":"s","partition":0}', "wrong_type"),
        ('{"system":"k","stream":"s","partition":true}', "wrong_type"),
        ('{"system":"k","stream":"s","partition":2147483648}', "bad_partition"),
    ],
)
def test_a_bad_field_is_refused(text: str, reason: str) -> None:
    with pytest.raises(WireError) as caught:
        decode_partition_key(text)
    assert caught.value.reason == reason
