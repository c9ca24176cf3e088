"""The order in which Scala's maps give what they hold: Samza asks its systems for streams through such maps."""

from collections.abc import Callable, Iterable
from typing import Final, TypeVar

Key = TypeVar("Key")

_WORD: Final = 0xFFFFFFFF
_GOLDEN: Final = 0x9E3775CD
_LEAST_BUCKETS: Final = 16
_SMALL: Final = 4
_LEVELS: Final = range(0, 32, 5)


def mutable_map_order(keys: Iterable[Key], hash_of: Callable[[Key], int]) -> list[Key]:
    """The keys as a ``scala.collection.mutable.HashMap`` gives them that they were put into in the order given.

    The last of its buckets comes first, and in each what was put in last; as it grows it puts all in again, in the
    order in which it gives them. ``hash_of`` is their ``hashCode`` as 32 bits without a sign.
    """
    buckets = _LEAST_BUCKETS
    found: list[Key] = []
    for size, key in enumerate(keys, 1):
        found.insert(0, key)
        if size > buckets * 3 // 4:
            found = _by_bucket(found, buckets, hash_of)[::-1]
            buckets *= 2
    return _by_bucket(found, buckets, hash_of)


def immutable_map_order(keys: Iterable[Key], hash_of: Callable[[Key], int]) -> list[Key]:
    """The keys as a ``scala.collection.immutable.Map`` gives them: up to four as they were put in, more by hash."""
    listed = list(keys)
    return listed if len(listed) <= _SMALL else sorted(listed, key=lambda key: _path(hash_of(key)))


def _by_bucket(last_first: Iterable[Key], buckets: int, hash_of: Callable[[Key], int]) -> list[Key]:
    unused_bits = 33 - buckets.bit_length()
    return sorted(last_first, key=lambda key: -(_improved(hash_of(key)) >> unused_bits))


def _improved(hash_code: int) -> int:
    """A hash with its bytes mixed, and turned by the seed of a table of 16 buckets, which it keeps as it grows."""
    mixed = int.from_bytes((hash_code * _GOLDEN & _WORD).to_bytes(4, "little"), "big") * _GOLDEN & _WORD
    return (mixed >> _SMALL | mixed << 32 - _SMALL) & _WORD


def _path(hash_code: int) -> tuple[int, ...]:
    """Where a trie has a hash: five bits a level, the lowest first."""
    mixed = (hash_code + ~(hash_code << 9)) & _WORD
    mixed ^= mixed >> 14
    mixed = (mixed + (mixed << 4)) & _WORD
    mixed ^= mixed >> 10
    return tuple(mixed >> level & 31 for level in _LEVELS)
