"""What the name of a stream says."""

import pytest

from eventlog.errors import StreamKindError
from eventlog.streams import identify, job_bucket


@pytest.mark.parametrize(
    ("name", "kind", "expected"),
    [
        ("__samza_coordinator_wordcount-pv_1", None, ("coordinator", "wordcount-pv_1", "wordcount-pv", "1")),
        ("__samza_checkpoint_ver_1_for_wordcount-pv_1", None, ("checkpoint", "wordcount-pv_1", "wordcount-pv", "1")),
        ("__samza_coordinator_my.job_x-y", "coordinator", ("coordinator", "my.job_x-y", "my.job", "x-y")),
        ("__samza_coordinator_plain", None, ("coordinator", "plain", "plain", "1")),
        ("dr.__samza_coordinator_orders_1", None, ("coordinator", "dr.:orders_1", "dr.orders", "1")),
        ("dr.__samza_checkpoint_ver_1_for_orders_1", None, ("checkpoint", "dr.:orders_1", "dr.orders", "1")),
        ("__samza_coordinator_dr.orders_1", None, ("coordinator", "dr.orders_1", "dr.orders", "1")),
        ("other_topic_7", "checkpoint", ("checkpoint", "other_topic_7", "other_topic", "7")),
    ],
)
def test_identity(name: str, kind: str | None, expected: tuple[str, str, str, str]) -> None:
    found = identify(name, kind)
    assert (found.stream_kind, found.suffix, found.job_name, found.job_id) == expected
    assert found.stream_name == name
    assert found.job_bucket == job_bucket(found.suffix)


@pytest.mark.parametrize(
    ("name", "kind", "advice"),
    [
        ("other", None, "'coordinator' or 'checkpoint'"),
        ("other", "changelog", "Unknown kind of stream 'changelog'"),
        ("__samza_coordinator_a_1", "checkpoint", "Correct '--kind'"),
    ],
)
def test_an_unknown_kind_is_refused(name: str, kind: str | None, advice: str) -> None:
    with pytest.raises(StreamKindError, match=advice):
        identify(name, kind)


def test_the_bucket_is_the_first_byte_of_the_sha256_and_63() -> None:
    assert job_bucket("") == 0xE3 & 63
    assert job_bucket("a") == 0xCA & 63
    assert all(0 <= job_bucket(f"jöb-{number}_1") < 64 for number in range(200))
