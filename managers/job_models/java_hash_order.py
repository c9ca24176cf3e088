"""The order in which Java's HashMap and HashSet give what they hold: by buckets."""

from collections.abc import Callable, Iterable
from typing import Final, TypeVar

Key = TypeVar("Key")

_LEAST_BUCKETS: Final = 16


def buckets(size: int) -> int:
    """How many buckets a HashMap has that has grown to a size: it doubles when it is more than three quarters full."""
    count = _LEAST_BUCKETS
    while size > count * 3 // 4:
        count *= 2
    return count


def buckets_of_copy(size: int) -> int:
    """How many buckets a HashMap has that was made of another: the fewest that it fills less than three quarters."""
    return 1 << (size * 4 // 3).bit_length()


def hash_order(
    keys: Iterable[Key], hash_of: Callable[[Key], int], buckets_for: Callable[[int], int] = buckets
) -> list[Key]:
    """The keys as a HashMap gives them that they were put into one by one, in the order given.

    ``hash_of`` is their ``hashCode`` as 32 bits without a sign. Keys of one bucket stay in the order given.
    """
    listed = list(keys)
    mask = buckets_for(len(listed)) - 1
    return sorted(listed, key=lambda key: _spread(hash_of(key)) & mask)


def _spread(hash_code: int) -> int:
    return hash_code ^ hash_code >> 16
