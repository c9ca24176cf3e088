"""Writes JSON as Jackson does, and reads it strictly; also partitions as JSON objects."""

import json
import re
from collections.abc import Callable, Iterable
from typing import Any, Final, NoReturn

from eventlog.errors import WireError, json_type
from eventlog.partition import INT32, NO_KEY_BUCKET, SystemStreamPartition

_HAS_LOWER_HEX: Final = re.compile(r"\\u00[01][a-f]")
_ESCAPE: Final = re.compile(r"\\(?:u00([0-9a-f]{2})|.)")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_BEYOND_16_BITS: Final = re.compile("[\ud800-\udfff\U00010000-\U0010ffff]")


def dumps(value: object, *, ascii_surrogates: bool = False) -> bytes:
    """Write JSON as Jackson does: no white space, fields in the given order, upper-case hex, otherwise raw UTF-8.

    The topics have two styles. By default an astral character is raw and a lone surrogate becomes ``?``
    (Jackson's text, then Java's getBytes). With ``ascii_surrogates`` both are escapes (Jackson's writeValueAsBytes).
    """
    return to_bytes(dumps_text(value), ascii_surrogates=ascii_surrogates)


def to_bytes(text: str, *, ascii_surrogates: bool = False) -> bytes:
    """The bytes of JSON text in one of the two styles of `dumps`."""
    if text.isascii():
        return text.encode()
    if ascii_surrogates:
        return _BEYOND_16_BITS.sub(_as_escapes, text).encode()
    return _SURROGATE.sub("?", text).encode()


def dumps_text(value: object) -> str:
    """As `dumps`, but as text, for JSON that is nested as text in other JSON."""
    text = _ENCODER.encode(value)
    if _HAS_LOWER_HEX.search(text):
        return _ESCAPE.sub(_upper_hex, text)
    return text


def object_text(fields: Iterable[tuple[str, object]]) -> str:
    """JSON text of an object that may have duplicate names, as Samza writes maps whose keys lose a part in text."""
    return "{" + ",".join(f"{dumps_text(name)}:{dumps_text(field)}" for name, field in fields) + "}"


def loads(data: bytes | str) -> Any:
    """Read JSON strictly: UTF-8 without a byte order mark, no NaN, any text in a string (including NUL and surrogates).

    Raises `WireError` with ``empty``, ``not_utf8`` or ``not_json``; never another error, whatever the depth or length.
    """
    return _decode(_DECODER, data)


def loads_pairs(data: bytes | str) -> Any:
    """As `loads`, but an object is a tuple of (name, value) pairs, which keeps duplicate names."""
    return _decode(_PAIRS_DECODER, data)


def as_object(value: Any, what: str) -> dict[str, Any]:
    """A decoded JSON object; raises `WireError` (``wrong_type``) if it is something else."""
    if not isinstance(value, dict):
        raise WireError("wrong_type", f"{what} is {json_type(value)}, not an object")
    return value


def as_text(value: Any, what: str) -> str:
    """A decoded JSON text; raises `WireError` (``wrong_type``) if it is something else."""
    if isinstance(value, str):
        return value
    raise WireError("wrong_type", f"{what} is {json_type(value)}, not a text")


def as_integer(value: Any, what: str) -> int:
    """A decoded JSON integer; raises `WireError` (``wrong_type``) if it is something else."""
    if type(value) is not int:
        raise WireError("wrong_type", f"{what} is {json_type(value)}, not an integer")
    return value


def text_or_none(value: Any, what: str) -> str | None:
    """As `as_text`, but null is None."""
    return value if value is None or isinstance(value, str) else as_text(value, what)


def text_field(fields: dict[str, Any], name: str, where: str) -> str:
    """A field of an object as text; raises `WireError`, with ``missing_field`` if it is null or missing."""
    value = present(fields, name, where)
    return value if isinstance(value, str) else as_text(value, f"{name} of {where}")


def text_of(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise WireError("not_utf8", f"byte {error.start} is not UTF-8") from None


def _decode(decoder: json.JSONDecoder, data: bytes | str) -> Any:
    text = data if isinstance(data, str) else text_of(data)
    if not text:
        raise WireError("empty", "there are no bytes where JSON is expected")
    try:
        return decoder.decode(text)
    except json.JSONDecodeError as error:
        raise WireError("not_json", f"not JSON at character {error.pos}") from None
    except ValueError:
        raise WireError("not_json", "a number that JSON does not have, or with too many digits") from None
    except RecursionError:
        raise WireError("not_json", "nested too deeply") from None


def _refuse_constant(_name: str) -> NoReturn:
    raise ValueError


def _upper_hex(escape: re.Match[str]) -> str:
    digits = escape[1]
    return escape[0] if digits is None else f"\\u00{digits.upper()}"


def _as_escapes(character: re.Match[str]) -> str:
    units = character[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02X}{units[at + 1]:02X}" for at in range(0, len(units), 2))


def _decoder(pairs: Callable[[list[tuple[str, Any]]], Any] | None = None) -> json.JSONDecoder:
    return json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=pairs)


_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_DECODER: Final = _decoder()
_PAIRS_DECODER: Final = _decoder(tuple)


def partition_to_json(partition: SystemStreamPartition) -> dict[str, str | int]:
    """The fields in the order of Samza's SamzaObjectMapper."""
    return {
        "system": partition.system,
        "partition": partition.partition,
        "stream": partition.stream,
        "keyBucket": partition.key_bucket,
    }


def partition_from_json(fields: Any) -> SystemStreamPartition:
    """Read the fields in any order; ``keyBucket`` may be absent (older Samza). Raises `WireError`."""
    fields = as_object(fields, "a partition")
    return SystemStreamPartition(
        text_field(fields, "system", "a partition"),
        text_field(fields, "stream", "a partition"),
        _number(fields, "partition"),
        _number(fields, "keyBucket") if "keyBucket" in fields else NO_KEY_BUCKET,
    )


def encode_partition_key(partition: SystemStreamPartition) -> str:
    """The key text of a task-partition assignment, as Samza 1.8.0 writes it."""
    return dumps_text(partition_to_json(partition))


def decode_partition_key(text: str) -> SystemStreamPartition:
    """Read the key text of a task-partition assignment. Raises `WireError`."""
    return partition_from_json(loads(text))


def _number(fields: dict[str, Any], name: str) -> int:
    value = as_integer(present(fields, name, "a partition"), f"{name} of a partition")
    if value not in INT32:
        raise WireError("bad_partition", f"{name} of a partition is too large")
    return value


def present(fields: dict[str, Any], name: str, where: str) -> Any:
    """A field of an object; raises `WireError` (``missing_field``) if it is null or missing."""
    value = fields.get(name)
    if value is None:
        raise WireError("missing_field", f"{where} has no {name}")
    return value
