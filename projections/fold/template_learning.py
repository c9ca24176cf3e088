"""How a template is learnt from a value that was decoded in full.

A mark is put in each token's place, the marked value is decoded in full, and each mark is looked for in the result. If
one is missing, there is no template, and the key's values are decoded in full.

Most values of a job differ from those of other tasks in numbers only: those of partitions. So what was found out about
the tokens of a value is kept by the value's shape, which is the value without tokens and with 0 for each number, and is
used for other keys. Decoding the marked value takes most of the time.
"""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from eventlog.errors import WireError
from eventlog.messages import Envelope
from eventlog.wire.coordinator import CoordinatorKey
from projections.fold.checkpoint_template import ID, PLAIN, Template, is_id
from projections.fold.checkpoints import NULL, SEPARATOR, DecodedCheckpoint, decode_checkpoint
from projections.fold.layouts import Layout, LayoutEntry

_TOKEN: Final = rb"(" + PLAIN + rb')(?=["\\,}])'
_SPLIT: Final = (
    re.compile(rb'(":"|"timestamp":)' + _TOKEN),
    re.compile(rb'("offset":")((?:' + ID + rb":)?" + PLAIN + rb')(?=["])'),
    re.compile(rb'(":"|changelog-offset\\":\\")' + _TOKEN),
)
"""How a value of each version is split: piece, end of the piece, token, piece, end of the piece, token, …, piece."""

_MARK: Final = 7_310_000_000_000
_MARK_ID: Final = b"7319999999999-7"
_NULL: Final = NULL.encode()
_zero_numbers: Final = re.compile(rb"[0-9]+").sub
_MOST_SHAPES: Final = 1_000

Shape = tuple[int, bytes, tuple[bool, ...]]
"""Version, pieces with 0 for each number, and which tokens contain a colon."""

Kinds = tuple[tuple[bool, bool, bytes, bytes], ...]
"""Of each entry of a layout: is_state, is_opaque, and what surrounds its marker, with 0 for each number."""


class Roles(NamedTuple):
    """What the tokens of a value are, by their numbers in the value. ``written_by`` are those of the envelope's author.

    ``values`` has a token or a constant for each offset of the layout, whose ``kinds`` are the same in all values of
    the shape.
    """

    values: tuple[int | bytes, ...]
    state: tuple[int, ...]
    written_by: tuple[int, ...]
    id_token: int | None
    time_token: int | None
    kinds: Kinds


KnownRoles = dict[Shape, Roles]
"""The roles that were found for values of one log."""


def learn(
    version: int,
    key: CoordinatorKey | None,
    value: bytes,
    decoded: DecodedCheckpoint,
    layout_id: int,
    known: KnownRoles,
) -> Template | None:
    """Return the template of a value that was decoded in full; None if there is a token whose role is unknown."""
    parts = _SPLIT[version].split(value)
    tokens = parts[2::3]
    pieces = [b"".join(parts[at : at + 2]) for at in range(0, len(parts), 3)]
    shape = (version, _zero_numbers(b"0", b"\0".join(pieces)), tuple(b":" in token for token in tokens))
    roles = known.get(shape)
    if roles is None or not _are_roles_of(roles, tokens, decoded):
        roles = _find_roles(version, key, pieces, tokens, decoded)
        if roles is None:
            return None
        if len(known) < _MOST_SHAPES and b"\\u" not in value:  # a number in an escape is a character
            known[shape] = roles
    return _template(roles, pieces, tokens, decoded, layout_id)


def _are_roles_of(roles: Roles, tokens: Sequence[bytes], decoded: DecodedCheckpoint) -> bool:
    """Return whether the tokens of a value of the same shape have these roles.

    The roles could differ only if two partitions of one of the values were the same (its layout would be shorter), or
    if a marker had been split elsewhere.
    """
    offsets = [tokens[at].rpartition(b":")[2].decode() for at in roles.values if isinstance(at, int)]
    has_id = roles.id_token is None or is_id(tokens[roles.id_token])
    return bool(has_id) and offsets == decoded.offsets and roles.kinds == _kinds(decoded.layout)


def _kinds(layout: Layout) -> Kinds:
    return tuple((entry.is_state, entry.is_opaque, *_around_marker(entry)) for entry in layout)


def _around_marker(entry: LayoutEntry) -> tuple[bytes, bytes]:
    if not entry.marker_prefix and not entry.marker_suffix:
        return b"", b""
    before, after = entry.marker_prefix or "", entry.marker_suffix or ""
    return _zero_numbers(b"0", before.encode()), _zero_numbers(b"0", after.encode())


def _find_roles(
    version: int, key: CoordinatorKey | None, pieces: list[bytes], tokens: list[bytes], decoded: DecodedCheckpoint
) -> Roles | None:
    marks = [_mark(at, token) for at, token in enumerate(tokens)]
    marked = _decode_marked(version, key, pieces, marks)
    if marked is None or marked.layout != decoded.layout or marked.duplicates:
        return None
    places = {mark.rpartition(b":")[2].decode(): at for at, mark in enumerate(marks)}
    values = [_value(mark, places, offset) for mark, offset in zip(marked.offsets, decoded.offsets, strict=True)]
    id_token = places.get(marked.checkpoint_id or "")
    state = tuple(at for at, token in enumerate(tokens) if b":" in token)
    if id_token is None and marked.checkpoint_id != (_MARK_ID.decode() if state else None):
        return None  # the id contains a character that tokens cannot
    envelope = marked.envelope or Envelope()
    time_token = places.get(str(envelope.timestamp))
    written_by = tuple(places[text] for text in envelope[:3] if text in places)
    accounted = [*(value for value in values if isinstance(value, int)), *written_by]
    accounted += [at for at in (id_token, time_token) if at is not None]
    if sorted(accounted) != list(range(len(tokens))) or None in values:
        return None
    held = tuple(value for value in values if value is not None)
    return Roles(held, state, written_by, id_token, time_token, _kinds(decoded.layout))


def _template(
    roles: Roles, pieces: list[bytes], tokens: list[bytes], decoded: DecodedCheckpoint, layout_id: int
) -> Template:
    """Return the template; the author's tokens become parts of its pieces, so the other tokens get other numbers."""
    others = (at for at in range(len(tokens)) if at not in roles.written_by)
    number = {at: number for number, at in enumerate(others)}
    values = tuple(number[value] if isinstance(value, int) else value for value in roles.values)
    of_tokens = [(at, entry) for at, entry in zip(values, decoded.layout, strict=True) if isinstance(at, int)]
    return Template(
        _with_constants(pieces, tokens, roles.written_by),
        tuple(at for at, entry in of_tokens if not entry.is_opaque),
        layout_id,
        values,
        _run(values),
        tuple(number[at] for at in roles.state),
        tuple(at for at, entry in of_tokens if entry.is_opaque),
        None if roles.id_token is None else number[roles.id_token],
        None if roles.time_token is None else number[roles.time_token],
        decoded.envelope,
    )


def _with_constants(pieces: list[bytes], tokens: list[bytes], constant: tuple[int, ...]) -> tuple[bytes, ...]:
    """The pieces, each joined to the next where the token between them (who wrote it) always has to be the same."""
    joined = pieces[:1]
    for at, (token, piece) in enumerate(zip(tokens, pieces[1:], strict=True)):
        if at in constant:
            joined[-1] += token + piece
        else:
            joined.append(piece)
    return tuple(joined)


def _mark(at: int, token: bytes) -> bytes:
    mark = str(_MARK + at).encode()
    if b":" in token:
        return _MARK_ID + b":" + mark
    return mark + b"-7" if is_id(token) else mark


def _decode_marked(
    version: int, key: CoordinatorKey | None, pieces: list[bytes], marks: list[bytes]
) -> DecodedCheckpoint | None:
    marked = b"".join(piece + mark for piece, mark in zip(pieces, [*marks, b""], strict=True))
    try:
        return decode_checkpoint(version, key, marked)
    except WireError:
        return None


def _value(mark: str | None, places: dict[str, int], offset: str | None) -> int | bytes | None:
    """A token's number, a constant, or None where the offset is neither."""
    if mark is not None and mark in places:
        return places[mark]
    if mark != offset:
        return None
    if offset is None:
        return _NULL
    return None if SEPARATOR in offset or offset == NULL else offset.encode()


def _run(values: tuple[int | bytes, ...]) -> slice | None:
    first = values[0] if values else 0
    if not isinstance(first, int) or values != tuple(range(first, first + len(values))):
        return None
    return slice(first, first + len(values))
