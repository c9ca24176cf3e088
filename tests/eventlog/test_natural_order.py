import pytest

from eventlog.natural_order import natural_order


@pytest.mark.parametrize(
    "names",
    [
        ["Partition 2", "Partition 10"],
        ["kafka.in-2.0", "kafka.in-10.0", "kafka.in.9", "kafka.in.10"],
        ["01", "1", "2", "a", "a1"],
        ["", "0", "00", "7"],
        ["Partition 1", "Partition ²", "Partition ٣"],
        ["task " + "9" * 5_000, "task 1" + "0" * 5_000],
    ],
)
def test_numbers_are_compared_by_their_value(names: list[str]) -> None:
    backwards = names[::-1]
    assert sorted(backwards, key=natural_order) == names
