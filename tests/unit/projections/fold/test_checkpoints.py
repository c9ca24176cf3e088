"""Checkpoints of every version in layouts and offsets."""

import json

import pytest

from eventlog.errors import WireError
from projections.fold.checkpoints import decode_checkpoint

FACTORY = "org.apache.samza.storage.KafkaChangelogStateBackendFactory"
KAFKA = '{"version":1,"changelog-ssp":{"system":"k","partition":6,"stream":"c6"%s},"changelog-offset":%s}'


def v2(marker: str) -> bytes:
    markers = {FACTORY: {"counts": marker}}
    return json.dumps({"checkpoint-id": "1-2", "input-offsets": {}, "state-checkpoint-markers": markers}).encode()


@pytest.mark.parametrize(
    ("marker", "offset", "stream"),
    [
        (KAFKA % (',"keyBucket":-1', '"6"'), "6", "c6"),
        (KAFKA % (',"keyBucket":-1', "null"), None, "c6"),
        ("1;k;c6;6;66", "66", "c6"),
        ("1;k;c6;6;null", None, "c6"),
        ("1:org.example.Serde:1;k;c6;6;66", "66", "c6"),
        ("1:org.example.Serde:" + KAFKA % ("", '"6"'), "6", "c6"),
        ("1:org.example.Serde:blob-17", "1:org.example.Serde:blob-17", None),
        ("blob-17", "blob-17", None),
    ],
)
def test_a_marker_is_split_around_its_offset_and_can_be_put_together(
    marker: str, offset: str | None, stream: str | None
) -> None:
    decoded = decode_checkpoint(2, None, v2(marker))
    assert decoded is not None
    (entry,) = decoded.layout
    names = entry.stream_name, entry.store_name, entry.factory_name
    assert (decoded.offsets, names) == ([offset], (stream, "counts", FACTORY))
    assert (entry.marker_prefix or "") + (offset or "") + (entry.marker_suffix or "") == marker


@pytest.mark.parametrize("start", ['{"changelog-offset":"%d",', '{"n":"changelog-offset","changelog-offset": "%d",'])
def test_a_marker_is_split_at_the_same_place_whatever_its_offset(start: str) -> None:
    """Where its offset does not come last, the same number can follow it."""
    end = '"version":1,"changelog-ssp":{"system":"k","partition":6,"stream":"c6","keyBucket":-1}}'
    decoded = [decode_checkpoint(2, None, v2((start % offset) + end)) for offset in (6, 66, 7)]
    assert {one.layout for one in decoded if one is not None} == {decoded[0].layout}  # type: ignore[union-attr]
    assert [one.offsets for one in decoded if one is not None] == [["6"], ["66"], ["7"]]


@pytest.mark.parametrize(("escape", "reason"), [("\\u0000", "nul"), ("\\ud800", "surrogate")])
def test_what_text_cannot_hold_is_refused(escape: str, reason: str) -> None:
    value = f'{{"x":{{"system":"k","stream":"c","partition":"4","offset":"a{escape}"}}}}'.encode()
    with pytest.raises(WireError, match=f"^{reason}: "):
        decode_checkpoint(1, None, value)
