"""The fast way through a checkpoint: a value that differs from the key's last one in its offsets alone needs no JSON.

A template keeps the constant pieces of a key's value; what stands between them are its tokens (offsets, ids, times).
Tokens are printable ASCII without quote, comma, backslash, colon and braces: a piece begins with one of these, so that
a token can neither end elsewhere nor hold what Postgres' text can't. `template_learning` makes templates. The compiled
part is ``_checkpoint_template.c``.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import lt
from struct import Struct
from typing import Final

from eventlog.compiled import compiled_part
from eventlog.messages import Envelope
from projections.fold.checkpoints import NULL, SEPARATOR

_compiled = compiled_part("projections.fold._checkpoint_template")
PLAIN: Final = rb"[!#-+\-./0-9;-\[\]-z|~ ]*"
ID: Final = rb"[1-9][0-9]{0,17}-(?:0|[1-9][0-9]{0,17})"  # as CheckpointId writes it; others are read in full
_IS_PLAIN: Final = re.compile(PLAIN)
is_id: Final = re.compile(ID).fullmatch
_is_time: Final = re.compile(rb"0|[1-9][0-9]{0,17}").fullmatch
_SEPARATOR: Final = SEPARATOR.encode()
_NULL: Final = NULL.encode()


FastCheckpoint = tuple[bytes, bytes | None, int | None, bool]
"""What the fast way gives: offsets and checkpoint id ready for COPY, the envelope's time in ms, and whether an offset
may be lower than in the last value that was read with this template."""

ReadValue = Callable[[bytes], FastCheckpoint | None]

Author = tuple[str | None, ...]
"""Source, host and username, masked."""

Cut = Callable[[bytes], tuple[bytes, ...]]
"""Cuts values of one size into pieces and tokens."""

Cuts = dict[int, Cut]
"""Where a key's last values were cut, by their size: the next one mostly has tokens of the same lengths as one of
them, and is cut in one go."""

MOST_CUTS: Final = 8


@dataclass(slots=True, eq=False)
class Template:
    """What the tokens of a key's values are.

    A value consists of ``pieces`` with a token between every two of them. ``values`` has for each offset of the layout
    the number of a token, or a constant; ``run`` is set instead if they are consecutive tokens. ``state`` are the
    numbers of V1's tokens that contain a checkpoint id and a changelog's offset, ``compared`` those that are offsets of
    inputs and changelogs, ``opaque`` those that are whole markers, of other backends than Kafka. ``author`` is who
    wrote the envelope, as stored. ``last_tokens`` are those of the last value that fit, and ``last_cut`` is how it was
    cut. ``read_compiled`` does what `read_fast` does, without these two; ``read_higher`` as well, if no offset may be
    lower. Both are None if markers have to be examined.
    """

    pieces: tuple[bytes, ...]
    compared: tuple[int, ...]
    layout_id: int
    values: tuple[int | bytes, ...]
    run: slice | None
    state: tuple[int, ...]
    opaque: tuple[int, ...]
    id_token: int | None
    time_token: int | None
    envelope: Envelope | None
    author: Author | None = None
    cuts: Cuts = field(default_factory=dict)
    last_cut: Cut | None = None
    last_tokens: Sequence[bytes] = ()
    read_compiled: ReadValue | None = None
    read_higher: ReadValue | None = None

    def __post_init__(self) -> None:
        if _compiled is not None and not self.opaque:
            time = None if self.envelope is None else self.envelope.timestamp
            roles = (self.pieces, self.values, self.state, self.compared, self.id_token, self.time_token, time)
            reader = _compiled.Reader(*roles)
            self.read_compiled, self.read_higher = reader.read, reader.read_higher


def read_fast(template: Template, value: bytes) -> FastCheckpoint | None:
    """Read a value that fits the template; None if it has to be decoded."""
    read = template.read_compiled
    return _read_plainly(template, value) if read is None else read(value)


def _read_plainly(template: Template, value: bytes) -> FastCheckpoint | None:
    cut = template.cuts.get(len(value))
    parts = () if cut is None else cut(value)
    if cut is None or parts[::2] != template.pieces:
        cut = _find_cut(template, value)
        if cut is None:
            return None
        parts = cut(value)
    tokens: Sequence[bytes] = parts[1::2]
    state, id_token, checkpoint_id = template.state, template.id_token, None
    if id_token is not None or state:
        if id_token is not None:
            checkpoint_id = tokens[id_token]
        else:
            checkpoint_id, tokens = _take_id(tokens, state)
        if not is_id(checkpoint_id):
            return None
    envelope = template.envelope
    message_ms = None if envelope is None else envelope.timestamp
    if template.time_token is not None:
        time = tokens[template.time_token]
        if not _is_time(time):
            return None
        message_ms = int(time)
    run = template.run
    offsets = tokens[run] if run is not None else _select(tokens, template.values)
    last_cut, last_tokens = template.last_cut, template.last_tokens
    template.last_cut, template.last_tokens = cut, tokens
    if b"".join(offsets).isdigit():
        if cut is last_cut:  # digits of the same length compare like numbers
            is_lower = True in map(lt, tokens, last_tokens)
        else:
            is_lower = _may_be_lower(template.compared, tokens, last_tokens)
        return _SEPARATOR.join(offsets), checkpoint_id, message_ms, is_lower
    stored = _stored(tokens, template.values, state)
    return None if stored is None else (stored, checkpoint_id, message_ms, True)


def _select(tokens: Sequence[bytes], values: tuple[int | bytes, ...]) -> list[bytes]:
    return [tokens[value] if isinstance(value, int) else value for value in values]


def _may_be_lower(compared: tuple[int, ...], tokens: Sequence[bytes], last_tokens: Sequence[bytes]) -> bool:
    """Whether an offset, all of them digits, may be lower than it was; also true if there was none, or with zeros."""
    if not last_tokens:
        return True
    for at in compared:
        new, last = tokens[at], last_tokens[at]
        if new < last if len(new) == len(last) else len(new) < len(last) or new.startswith(b"0"):
            return True
    return False


def _find_cut(template: Template, value: bytes) -> Cut | None:
    """Find how to cut a value, and remember it for values of its size; None if the value does not fit."""
    pieces = template.pieces
    tokens = _find_tokens(pieces, value)
    if tokens is None:
        return None
    lengths = [0] * (len(pieces) + len(tokens))
    lengths[::2], lengths[1::2] = map(len, pieces), map(len, tokens)
    if len(template.cuts) >= MOST_CUTS:
        template.cuts.clear()
    cut = template.cuts[len(value)] = _cut(tuple(lengths))
    return cut


@lru_cache(maxsize=10_000)
def _cut(lengths: tuple[int, ...]) -> Cut:
    return Struct("".join(f"{length}s" for length in lengths)).unpack


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


def _take_id(tokens: Sequence[bytes], state: tuple[int, ...]) -> tuple[bytes, list[bytes]]:
    """Take the checkpoint id off the tokens of V1's changelogs; empty where they do not agree on one."""
    changed, agreed = list(tokens), None
    for at in state:
        checkpoint_id, _, changed[at] = tokens[at].partition(b":")
        if agreed is None:
            agreed = checkpoint_id
        elif checkpoint_id != agreed:
            return b"", changed
        if not changed[at]:
            return b"", changed
    return agreed or b"", changed


def _stored(tokens: Sequence[bytes], values: tuple[int | bytes, ...], state: tuple[int, ...]) -> bytes | None:
    """Offsets that are not all digits as they are stored; None if one of them has to be read with care."""
    if not _IS_PLAIN.fullmatch(b"".join([tokens[at] for at in values if isinstance(at, int)])):
        return None
    offsets = [
        value if isinstance(value, bytes) else _NULL if value in state and tokens[value] == b"null" else tokens[value]
        for value in values  # an empty changelog; as an input's offset it would be this text
    ]
    return _SEPARATOR.join(offsets)
