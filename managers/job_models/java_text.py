"""How Java orders and hashes texts: by UTF-16 code units, which differs from Python beyond 16 bits."""

import struct
from typing import Final

_WORD: Final = 0xFFFFFFFF


def text_order(text: str) -> bytes:
    """The sort key by which texts come in the order of Java's ``String.compareTo``."""
    return text.encode("utf-16-be", "surrogatepass")


def text_hash(text: str) -> int:
    """Java's ``String.hashCode``, as 32 bits without a sign."""
    data = text.encode("utf-16-le", "surrogatepass")
    return hash_of(struct.unpack(f"<{len(data) // 2}H", data))


def hash_of(parts: tuple[int, ...], start: int = 0) -> int:
    """Java's usual hash of hashes: 31 times what there was, plus the next, in 32 bits."""
    result = start
    for part in parts:
        result = (31 * result + part) & _WORD
    return result
