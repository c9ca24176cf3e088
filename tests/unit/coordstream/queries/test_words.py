"""Who changed a config, and where a task starts, in words."""

import pytest

from coordstream.queries.config import writer
from coordstream.queries.startpoints import describe_place, describe_start, describe_startpoint
from eventlog.secret_policy import SecretPolicy
from eventlog.startpoint import StartingOffset, StartpointSpecific


@pytest.mark.parametrize(
    ("source", "username", "host", "text"),
    [
        ("job-runner", "ann", "host-1", "job-runner (ann@host-1)"),
        ("job-runner", None, None, "job-runner"),
        (None, "ann", "host-1", "ann@host-1"),
        (None, None, None, None),
    ],
)
def test_a_writer_is_named_as_far_as_it_is_known(
    source: str | None, username: str | None, host: str | None, text: str | None
) -> None:
    assert writer({"source": source, "username": username, "host": host}) == text


@pytest.mark.parametrize(
    ("candidate", "words"),
    [
        ("specific 42", "at offset 42"),
        ("specific", "at offset "),
        ("timestamp 1700000000000", "at the first record since 2023-11-14 22:13:20 UTC"),
        ("timestamp 99999999999999999999", "at the first record since timestamp 99999999999999999999"),
        ("oldest", "at the oldest record"),
        ("upcoming", "with the next new record"),
        ("after 41 (version 1)", "after offset 41"),
        ("after a (b) c (set-checkpoint)", "after offset a (b) c"),
        ("fail\x1b[2J", "at fail\\x1b[2J"),
    ],
)
def test_where_a_candidate_starts(candidate: str, words: str) -> None:
    assert describe_place(candidate) == words


def test_a_startpoint_without_its_value_starts_nowhere() -> None:
    shown = describe_startpoint(StartpointSpecific(None, 1), SecretPolicy(b""))
    assert shown == ("specific", None, "nowhere, because it has no value")
    start = StartingOffset("checkpoint", starting_offset="redis://:hunter2@h/1")
    assert describe_start(start, SecretPolicy(b"")).startswith("at offset hmac-sha256:")
