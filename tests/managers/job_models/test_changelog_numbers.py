"""Which changelog partition each task has."""

from managers.job_models.changelog_numbers import changelog_numbers


def test_a_new_task_has_the_number_after_the_greatest() -> None:
    numbers = changelog_numbers(["Partition 2", "Partition 1", "Partition 0"], {"Partition 0": 4})
    assert numbers == {"Partition 0": 4, "Partition 1": 5, "Partition 2": 6}


def test_the_first_number_is_0() -> None:
    assert changelog_numbers(["a", "b"], {}) == {"a": 0, "b": 1}


def test_numbers_stay_as_they_are() -> None:
    numbers = changelog_numbers([f"Partition {at}" for at in range(4)], {"Partition 0": 1, "Partition 1": 0})
    assert numbers == {"Partition 0": 1, "Partition 1": 0, "Partition 2": 2, "Partition 3": 3}


def test_new_tasks_are_numbered_in_the_order_of_texts() -> None:
    numbers = changelog_numbers([f"Partition {at}" for at in range(12)], {})
    assert numbers["Partition 10"] == 2
    assert numbers["Partition 2"] == 4
    assert list(numbers.values()) == list(range(12))


def test_the_number_of_a_task_that_is_gone_is_not_given_again() -> None:
    assert changelog_numbers(["new"], {"gone": 7}) == {"new": 8}
