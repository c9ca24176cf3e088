"""What a user probably meant by a name that is not known."""

import pytest

from eventlog.did_you_mean import did_you_mean, similar_names

NAMES = ["wordcount-pv/1", "orders/1", "orders/2", "Partition 0", "Partition 1", "job.container.count"]


@pytest.mark.parametrize(
    ("word", "similar"),
    [
        ("ordesr/1", ["orders/1", "orders/2"]),
        ("partition 0", ["Partition 0", "Partition 1"]),
        ("job.containers.count", ["job.container.count"]),
        ("x", []),
        ("", []),
    ],
)
def test_names_spelled_alike_are_found_in_any_case_the_most_similar_first(word: str, similar: list[str]) -> None:
    assert similar_names(word, NAMES) == similar


def test_the_question_is_a_sentence_of_its_own_or_nothing() -> None:
    assert did_you_mean("ordrs/1", NAMES) == " Did you mean orders/1 or orders/2?"
    assert did_you_mean("x", NAMES) == ""
    assert did_you_mean("x", []) == ""


def test_names_of_other_writers_cannot_steer_a_terminal() -> None:
    assert did_you_mean("order\x1b[3", ["order\x1b[31"]) == r" Did you mean order\x1b[31?"
