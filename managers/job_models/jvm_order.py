"""Hashes and orders of Java and Scala: of strings, and of the elements of hash maps and sets.

Samza's ids of job models and its assignments depend on these orders. Hash codes are 32 bits, unsigned.
"""

import struct
from collections.abc import Callable, Iterable
from typing import Final, TypeVar

Key = TypeVar("Key")

_WORD: Final = 0xFFFFFFFF
_INITIAL_BUCKETS: Final = 16
_SCALA_GOLDEN: Final = 0x9E3775CD
_SCALA_SEED_BITS: Final = 4
_SMALL_SCALA_MAP: Final = 4
_TRIE_LEVELS: Final = range(0, 32, 5)


def text_order(text: str) -> bytes:
    """A sort key with the order of Java's ``String.compareTo``: UTF-16 code units."""
    return text.encode("utf-16-be", "surrogatepass")


def text_hash(text: str) -> int:
    """Java's ``String.hashCode``."""
    data = text.encode("utf-16-le", "surrogatepass")
    return combine_hashes(struct.unpack(f"<{len(data) // 2}H", data))


def combine_hashes(parts: tuple[int, ...], start: int = 0) -> int:
    """Java's usual combination of hashes (``Objects.hash``): 31 times the previous result plus the next hash."""
    result = start
    for part in parts:
        result = (31 * result + part) & _WORD
    return result


def bucket_count(size: int) -> int:
    """The number of buckets of a Java HashMap that has grown to a size. It doubles above three quarters full."""
    count = _INITIAL_BUCKETS
    while size > count * 3 // 4:
        count *= 2
    return count


def bucket_count_of_copy(size: int) -> int:
    """The number of buckets of a Java HashMap that was copied from another: the fewest for three quarters full."""
    return 1 << (size * 4 // 3).bit_length()


def java_map_order(
    keys: Iterable[Key], hash_of: Callable[[Key], int], buckets_for: Callable[[int], int] = bucket_count
) -> list[Key]:
    """The iteration order of a Java HashMap or HashSet, given the order of insertion, which stays within a bucket."""
    listed = list(keys)
    mask = buckets_for(len(listed)) - 1
    return sorted(listed, key=lambda key: ((hash_code := hash_of(key)) ^ hash_code >> 16) & mask)


def scala_mutable_map_order(keys: Iterable[Key], hash_of: Callable[[Key], int]) -> list[Key]:
    """The iteration order of a ``scala.collection.mutable.HashMap``, given the order of insertion.

    The last bucket comes first, and within a bucket the key inserted last. A map that grows inserts its keys again in
    its own iteration order.
    """
    buckets = _INITIAL_BUCKETS
    found: list[Key] = []
    for size, key in enumerate(keys, 1):
        found.insert(0, key)
        if size > buckets * 3 // 4:
            found = _by_scala_bucket(found, buckets, hash_of)[::-1]
            buckets *= 2
    return _by_scala_bucket(found, buckets, hash_of)


def scala_immutable_map_order(keys: Iterable[Key], hash_of: Callable[[Key], int]) -> list[Key]:
    """The iteration order of a ``scala.collection.immutable.Map``: up to four keys as inserted, more by hash."""
    listed = list(keys)
    return listed if len(listed) <= _SMALL_SCALA_MAP else sorted(listed, key=lambda key: _trie_path(hash_of(key)))


def _by_scala_bucket(last_first: Iterable[Key], buckets: int, hash_of: Callable[[Key], int]) -> list[Key]:
    unused_bits = 33 - buckets.bit_length()
    return sorted(last_first, key=lambda key: -(_improve(hash_of(key)) >> unused_bits))


def _improve(hash_code: int) -> int:
    """Mix the bytes of a hash and rotate it by the seed of a table of 16 buckets, which a growing table keeps."""
    mixed = int.from_bytes((hash_code * _SCALA_GOLDEN & _WORD).to_bytes(4, "little"), "big") * _SCALA_GOLDEN & _WORD
    return (mixed >> _SCALA_SEED_BITS | mixed << 32 - _SCALA_SEED_BITS) & _WORD


def _trie_path(hash_code: int) -> tuple[int, ...]:
    """The position of a hash in a trie: five bits per level, the lowest bits first."""
    mixed = (hash_code + ~(hash_code << 9)) & _WORD
    mixed ^= mixed >> 14
    mixed = (mixed + (mixed << 4)) & _WORD
    mixed ^= mixed >> 10
    return tuple(mixed >> level & 31 for level in _TRIE_LEVELS)
