"""A check is repeated after an error, which is kept until the check works again."""

from collections.abc import Callable
from queue import SimpleQueue

from managers.coordinator.input_monitors import PeriodicCheck
from tests.fixtures.waiting import PATIENCE


def raising(*errors: Exception | None) -> Callable[[], None]:
    """A check that raises these errors, one each time; None: it works."""
    waiting = list(errors)

    def check() -> None:
        if (error := waiting.pop(0)) is not None:
            raise error

    return check


def test_an_error_is_known_until_the_check_works_again() -> None:
    told: list[Exception] = []
    first, other = KeyError("a"), ValueError("c")
    check = PeriodicCheck(raising(first, KeyError("b"), other, None), 1, first_after=1, on_failure=told.append)
    seen = []
    for _ in range(4):
        check.check_once()
        seen.append(type(check.failure))
    assert seen == [KeyError, KeyError, ValueError, type(None)]
    assert told == [first, other]


def test_the_thread_goes_on() -> None:
    made: SimpleQueue[int] = SimpleQueue()

    def check() -> None:
        made.put(1)
        raise RuntimeError

    periodic = PeriodicCheck(check, 0.001, first_after=0)
    periodic.start()
    assert [made.get(timeout=PATIENCE) for _ in range(3)] == [1, 1, 1]
    periodic.stop()
