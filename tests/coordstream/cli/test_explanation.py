from typing import Any

import pytest

from coordstream.cli.explanation import NOT_RECORDED, event, place, sentence, writer


def step(**columns: Any) -> dict[str, Any]:
    """A step without an event, unless the test says otherwise."""
    partition = {"system_name": "kafka", "stream_name": "in", "partition_id": 0, "key_bucket": -1}
    absent = {"rule": "startpoint", "candidate": None, "outcome": "absent", "reason": "none: nobody asked"}
    nothing = dict.fromkeys(("record_time", "source", "host", "username", "stream_kind", "log_offset"))
    return partition | absent | nothing | columns


EVENT = {"stream_kind": "coordinator", "log_offset": 7, "record_time": "2026-01-31T12:00:00.5Z"}
SAID = "coordinator stream 7, 2026-01-31 12:00:00 UTC"


@pytest.mark.parametrize(
    ("candidate", "words"),
    [
        ("specific 42", "at offset 42"),
        ("specific", "at offset "),
        ("timestamp 1700000000000", "at the first event since 2023-11-14 22:13:20 UTC"),
        ("timestamp 99999999999999999999", "at the first event since timestamp 99999999999999999999"),
        ("oldest", "at the oldest event"),
        ("upcoming", "with the next event to come"),
        ("after 41 (version 1)", "after offset 41"),
        ("after a (b) c (set-checkpoint)", "after offset a (b) c"),
        ("fail\x1b[2J", "at fail\\x1b[2J"),
    ],
)
def test_a_candidate_says_where_reading_begins(candidate: str, words: str) -> None:
    assert place(candidate) == words


def test_the_winner_is_told_with_its_event() -> None:
    won = step(rule="reset", candidate="oldest", outcome="wins", reason="reset: k is true: so it is", **EVENT)
    expected = "kafka.in.0 starts at the oldest event. The reset decides: k is true: so it is"
    assert sentence([step(), won]) == f"{expected} ({SAID}, {NOT_RECORDED})."


def test_a_winner_without_an_event() -> None:
    won = step(rule="default", candidate="upcoming", outcome="wins", reason="default: no setting says where")
    assert sentence([won]) == (
        "kafka.in.0 starts with the next event to come. The default decides: no setting says where."
    )


def test_what_is_not_read_is_said() -> None:
    dropped = step(rule="input", reason="dropped input: nobody names it", **EVENT)
    lost = step(candidate="oldest", outcome="loses", reason="dropped input: nothing of it is read")
    assert sentence([dropped, lost]) == f"kafka.in.0 is not read: nobody names it ({SAID}, {NOT_RECORDED})."


@pytest.mark.parametrize(
    ("username", "host", "source", "who"),
    [
        (None, None, None, NOT_RECORDED),
        ("root", "h", "job-runner", "root on h, job-runner"),
        ("root", None, None, "root on host not recorded"),
        (None, "h", None, "user not recorded on h"),
    ],
)
def test_who_wrote_an_event(username: str | None, host: str | None, source: str | None, who: str) -> None:
    written = step(username=username, host=host, source=source, **EVENT)
    assert writer(written) == who
    assert event(written) == f"{SAID}, {who}"


def test_an_event_whose_time_cannot_be_held() -> None:
    written = step(**EVENT | {"record_time": None, "stream_kind": "checkpoint"})
    assert event(written) == f"checkpoint topic 7, time not recorded, {NOT_RECORDED}"
    assert event(step()) is None
