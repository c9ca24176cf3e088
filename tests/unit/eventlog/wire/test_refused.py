"""Bytes that cannot be decoded are refused with a reason: `refused.txt` has a line for each."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from eventlog.errors import WireError
from eventlog.wire import checkpoint_topic, coordinator
from eventlog.wire.coordinator import CoordinatorKey, decode_message
from eventlog.wire.jackson import decode_partition_key, loads, loads_pairs
from eventlog.wire.startpoints import decode_fan_out, decode_startpoint

DECODERS: Final[dict[str, Callable[[bytes], object]]] = {
    "checkpoint key": checkpoint_topic.decode_key,
    "checkpoint V1": checkpoint_topic.decode_v1,
    "checkpoint V2": checkpoint_topic.decode_v2,
    "coordinator key": coordinator.decode_key,
    "samza-startpoint-v1": decode_startpoint,
    "samza-startpoint-v1-fan-out": decode_fan_out,
    "partition key": lambda data: decode_partition_key(data.decode()),
    "JSON": loads,
}


def cases() -> Iterator[tuple[str, str, bytes]]:
    """Section, reason and bytes."""
    section = ""
    for line in Path(__file__).with_name("refused.txt").read_text().splitlines()[1:]:
        if line.startswith("["):
            section = line[1:-1]
        elif line:
            reason, _, data = line.partition(" ")
            yield section, reason, data.encode().decode("unicode_escape").encode("latin-1")


@pytest.mark.scenario("CKS-04", "CKS-09", "CKS-11")
@pytest.mark.parametrize(("section", "reason", "data"), list(cases()))
def test_bytes_are_refused_with_a_reason(section: str, reason: str, data: bytes) -> None:
    decode = DECODERS.get(section, partial(decode_message, CoordinatorKey(1, section, "k")))
    with pytest.raises(WireError, match=f"^{reason}: "):
        decode(data)


def test_a_key_is_needed() -> None:
    for decode in (checkpoint_topic.decode_key, coordinator.decode_key):
        with pytest.raises(WireError, match="null_key"):
            decode(None)


@pytest.mark.parametrize("data", [b"1" * 5000, b"[" * 200_000, b"{bad"])
def test_json_of_any_length_and_depth_is_refused(data: bytes) -> None:
    for read in (loads, loads_pairs):
        with pytest.raises(WireError, match="not_json"):
            read(data)
