"""The fast way through a checkpoint: a value that differs from the key's last one in numbers alone needs no JSON.

A template has the constant pieces of a key's value; between them are its tokens (offsets, ids, times). Tokens are
printable ASCII without quote, comma, backslash, colon and braces: a piece begins with one of these, so that a token can
neither end elsewhere nor contain what Postgres' text cannot.

A template is learnt from a value that was decoded in full: a mark replaces each token, the marked value is decoded in
full, and each mark is looked for in the result. If one is missing, there is no template. This takes most of the time,
and most values of a job differ from those of other tasks in numbers only, those of partitions. So the roles that were
found are used for all values of the same shape: the value without tokens and with 0 for each number.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from eventlog.compiled import compiled_part
from eventlog.errors import WireError
from eventlog.messages import Envelope
from eventlog.wire.coordinator import CoordinatorKey
from projections.fold.checkpoints import NULL, SEPARATOR, DecodedCheckpoint, Layout, LayoutEntry, decode_checkpoint
from projections.fold.message_bodies import Author

_compiled = compiled_part("projections.fold._checkpoints")
PLAIN: Final = rb"[!#-+\-./0-9;-\[\]-z|~ ]*"
ID: Final = rb"[1-9][0-9]{0,17}-(?:0|[1-9][0-9]{0,17})"  # as CheckpointId writes it; others are read in full
is_id: Final = re.compile(ID).fullmatch
_is_time: Final = re.compile(rb"0|[1-9][0-9]{0,17}").fullmatch
_SEPARATOR: Final = SEPARATOR.encode()
_NULL: Final = NULL.encode()


FastCheckpoint = tuple[bytes, bytes | None, int | None, bool]
"""What the fast way gives: offsets and checkpoint id ready for COPY, the envelope's time in ms, and whether an offset
may be lower than in the last value that was read with this template."""


@dataclass(slots=True, eq=False)
class Template:
    """What the tokens of a key's values are.

    A value consists of ``pieces`` with a token between every two of them. ``values`` has for each offset of the layout
    the number of a token, or a constant. ``state`` are the numbers of V1's tokens that contain a checkpoint id and a
    changelog's offset. ``message_ms`` is the envelope's time where no token is. ``author`` is who wrote the envelope,
    as stored. ``reader`` is the compiled part; without it, ``last_tokens`` are those of the last value that fit.
    """

    pieces: tuple[bytes, ...]
    values: tuple[int | bytes, ...]
    state: tuple[int, ...]
    id_token: int | None
    time_token: int | None
    message_ms: int | None
    layout_id: int
    author: Author | None = None
    last_tokens: Sequence[bytes] = ()
    reader: Any = None

    def __post_init__(self) -> None:
        if _compiled is not None:
            parts = (self.pieces, self.values, self.state, self.id_token, self.time_token, self.message_ms)
            self.reader = _compiled.Reader(*parts)

    def read(self, value: bytes) -> FastCheckpoint | None:
        """Read a value that fits; None if it has to be decoded."""
        fast: FastCheckpoint | None = self._read_plainly(value) if self.reader is None else self.reader.read(value)
        return fast

    def _read_plainly(self, value: bytes) -> FastCheckpoint | None:
        tokens = _find_tokens(self.pieces, value)
        if tokens is None:
            return None
        checkpoint_id = None
        if self.id_token is not None:
            checkpoint_id = tokens[self.id_token]
        elif self.state:
            checkpoint_id = _take_id(tokens, self.state)
        if checkpoint_id is not None and not is_id(checkpoint_id):
            return None
        message_ms = self.message_ms
        if self.time_token is not None:
            if not _is_time(tokens[self.time_token]):
                return None
            message_ms = int(tokens[self.time_token])
        last_tokens, self.last_tokens = self.last_tokens, tokens
        offsets = [tokens[value] if isinstance(value, int) else value for value in self.values]
        if b"".join(offsets).isdigit():
            return _SEPARATOR.join(offsets), checkpoint_id, message_ms, self._may_be_lower(tokens, last_tokens)
        stored = _stored(tokens, self.values, self.state)
        return None if stored is None else (stored, checkpoint_id, message_ms, True)

    def _may_be_lower(self, tokens: Sequence[bytes], last_tokens: Sequence[bytes]) -> bool:
        """Whether an offset, all of them digits, may be lower than it was; also if there was none, or with zeros."""
        if not last_tokens:
            return True
        for at in self.values:
            if isinstance(at, int):
                new, last = tokens[at], last_tokens[at]
                if new < last if len(new) == len(last) else len(new) < len(last) or new.startswith(b"0"):
                    return True
        return False


def _find_tokens(pieces: tuple[bytes, ...], value: bytes) -> list[bytes] | None:
    if not value.startswith(pieces[0]):
        return None
    at = len(pieces[0])
    tokens = []
    for piece in pieces[1:]:
        end = value.find(piece[:1], at)
        if end <= at or not value.startswith(piece, end):  # an empty token: a state marker can't be split around it
            return None
        tokens.append(value[at:end])
        at = end + len(piece)
    return tokens if at == len(value) else None


def _take_id(tokens: list[bytes], state: tuple[int, ...]) -> bytes:
    """Take the checkpoint id off the tokens of V1's changelogs; empty where they do not agree on one."""
    ids = set()
    for at in state:
        checkpoint_id, _, tokens[at] = tokens[at].partition(b":")
        ids.add(checkpoint_id)
    return ids.pop() if len(ids) == 1 and all(tokens[at] for at in state) else b""


def _stored(tokens: Sequence[bytes], values: tuple[int | bytes, ...], state: tuple[int, ...]) -> bytes | None:
    """Numbers and nulls as they are stored; None if an offset is another text."""
    nulls = {at for at in state if tokens[at] == b"null"}  # empty changelogs; an input's offset would be this text
    if not all(tokens[at].isdigit() for at in values if isinstance(at, int) and at not in nulls):
        return None
    offsets = (value if isinstance(value, bytes) else _NULL if value in nulls else tokens[value] for value in values)
    return _SEPARATOR.join(offsets)


_TOKEN: Final = rb"(" + PLAIN + rb')(?=["\\,}])'
_SPLIT: Final = (
    re.compile(rb'(":"|"timestamp":)' + _TOKEN),
    re.compile(rb'("offset":")((?:' + ID + rb":)?" + PLAIN + rb')(?=["])'),
    re.compile(rb'(":"|changelog-offset\\":\\")' + _TOKEN),
)
"""How a value of each version is split: piece, end of the piece, token, piece, end of the piece, token, …, piece."""

_MARK: Final = 7_310_000_000_000
_MARK_ID: Final = b"7319999999999-7"
_zero_numbers: Final = re.compile(rb"[0-9]+").sub
_MOST_SHAPES: Final = 1_000

Shape = tuple[int, bytes, tuple[bool, ...]]
"""Version, pieces with 0 for each number, and which tokens contain a colon."""

Kinds = tuple[tuple[bool, bytes, bytes], ...]
"""Of each entry of a layout: is_state, and what surrounds its marker, with 0 for each number."""


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
    """Learn from a decoded value; None: a token's role is unknown, or an offset is a text that may contain a secret."""
    if any(text is not None and not text.isdecimal() for text in decoded.offsets):
        return None
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
    return tuple((entry.is_state, *_around_marker(entry)) for entry in layout)


def _around_marker(entry: LayoutEntry) -> tuple[bytes, bytes]:
    if not entry.marker_prefix and not entry.marker_suffix:
        return b"", b""
    before, after = entry.marker_prefix or "", entry.marker_suffix or ""
    return _zero_numbers(b"0", before.encode()), _zero_numbers(b"0", after.encode())


def _find_roles(
    version: int, key: CoordinatorKey | None, pieces: list[bytes], tokens: list[bytes], decoded: DecodedCheckpoint
) -> Roles | None:
    marks = [_mark(at, token) for at, token in enumerate(tokens)]
    text = b"".join(piece + mark for piece, mark in zip(pieces, [*marks, b""], strict=True))
    try:
        marked = decode_checkpoint(version, key, text)
    except WireError:
        return None
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
    return Template(
        _with_constants(pieces, tokens, roles.written_by),
        values,
        tuple(number[at] for at in roles.state),
        None if roles.id_token is None else number[roles.id_token],
        None if roles.time_token is None else number[roles.time_token],
        None if decoded.envelope is None else decoded.envelope.timestamp,
        layout_id,
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


def _value(mark: str | None, places: dict[str, int], offset: str | None) -> int | bytes | None:
    """A token's number, a constant, or None where the offset is neither."""
    if mark is not None and mark in places:
        return places[mark]
    if mark != offset:
        return None
    return _NULL if offset is None else offset.encode()
