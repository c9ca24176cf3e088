"""The parameters of a request for a relation, checked against its columns."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from json import JSONDecodeError, loads
from typing import Any, Final, Self

from sqlalchemy import BigInteger, Boolean, DateTime, Integer, TableClause

from coordstream.queries.cut import Cut
from coordstream.relations import RELATIONS
from coordstream.serve.failures import BadRequest, NotFound
from coordstream.serve.pages.asked import time_of
from eventlog.errors import is_utf8, known_names, printable_text

LIMIT: Final = 1_000
MOST_ROWS: Final = 10_000
_OPTIONS: Final = ("after", "as_of", "as_of_offset", "job", "limit", "since", "until")
_TIME_COLUMNS: Final = ("record_time", "observed_at", "last_record_time", "valid_from", "heartbeat_at")
_BITS: Final = ((BigInteger, 63), (Integer, 31))
_BOOLEANS: Final = {"true": True, "false": False}


@dataclass(frozen=True)
class Parameters:
    """What is asked of a relation.

    ``equal`` has the accepted values of columns, ``after`` the key of the last row of the page before this one.
    ``since`` and ``until`` are inclusive and compare with `time_column`.
    """

    relation: TableClause
    job: str | None = None
    equal: dict[str, list[Any]] | None = None
    since: datetime | None = None
    until: datetime | None = None
    cut: Cut = field(default_factory=Cut)
    limit: int = LIMIT
    after: list[Any] | None = None

    @classmethod
    def of(cls, name: str, given: Iterable[tuple[str, str]]) -> Self:
        """The parameters of a request, of which each column may occur several times.

        Raises:
            NotFound: there is no such relation.
            BadRequest: a parameter is unknown, occurs twice or has an invalid value.
        """
        relation = known_relation(name)
        options: dict[str, str] = {}
        equal: dict[str, list[Any]] = {}
        for word, value in given:
            if word in relation.c:
                equal.setdefault(word, []).append(_value(relation, word, value))
            elif word in _OPTIONS and word not in options:
                options[word] = value
            else:
                raise _bad_name(relation, word, is_repeated=word in options)
        return cls(relation, options.get("job"), equal, **_checked(relation, options))

    @property
    def time_column(self) -> str | None:
        """The column that ``since`` and ``until`` compare with."""
        return _time_column(self.relation)


def known_relation(name: str) -> TableClause:
    """The relation. Raises NotFound, with similar names."""
    if name not in RELATIONS:
        raise NotFound(f'No relation "{printable_text(name)}".{known_names("relations", name, sorted(RELATIONS))}')
    return RELATIONS[name]


def sql_type(relation: TableClause, column: str) -> str:
    """The type of a column in Postgres."""
    kind = str(relation.c[column].type).lower()
    return "timestamptz" if kind == "datetime" else kind


def _checked(relation: TableClause, options: dict[str, str]) -> dict[str, Any]:
    times = {name: time_of(name, options[name]) for name in ("since", "until", "as_of") if name in options}
    if ("since" in times or "until" in times) and _time_column(relation) is None:
        raise BadRequest(f'Relation "{relation.name}" has no time that "since" and "until" could compare with.')
    offset = _integer("as_of_offset", options["as_of_offset"], 63) if "as_of_offset" in options else None
    if ("as_of" in options or offset is not None) and "job" not in options:
        raise BadRequest('"as_of" and "as_of_offset" need the parameter "job".')
    if "as_of" in options and offset is not None:
        raise BadRequest('"as_of" and "as_of_offset" cannot be used together.')
    return {
        "since": times.get("since"),
        "until": times.get("until"),
        "cut": Cut(times.get("as_of"), offset),
        "limit": _limit(options.get("limit", str(LIMIT))),
        "after": _key(options["after"]) if "after" in options else None,
    }


def _time_column(relation: TableClause) -> str | None:
    return next((name for name in _TIME_COLUMNS if name in relation.c), None)


def _value(relation: TableClause, column: str, given: str) -> Any:
    kind = relation.c[column].type
    if isinstance(kind, Boolean):
        if given not in _BOOLEANS:
            raise BadRequest(f'Invalid value of "{column}": expected true or false.')
        return _BOOLEANS[given]
    if isinstance(kind, DateTime):
        return time_of(column, given)
    bits = next((bits for each, bits in _BITS if isinstance(kind, each)), None)
    return given if bits is None else _integer(column, given, bits)


def _integer(name: str, given: str, bits: int) -> int:
    digits = given.removeprefix("-")
    if digits.isascii() and digits.isdigit() and len(digits) < 20 and -(2**bits) <= int(given) < 2**bits:
        return int(given)
    raise BadRequest(f'Invalid value of "{name}": expected an integer of {bits + 1} bits.')


def _limit(given: str) -> int:
    number = _integer("limit", given, 31)
    if not 1 <= number <= MOST_ROWS:
        raise BadRequest(f'Invalid value of "limit": expected a number from 1 to {MOST_ROWS:,}.')
    return number


def _key(given: str) -> list[Any]:
    try:
        key = loads(given)
    except (JSONDecodeError, RecursionError):
        key = None
    if not isinstance(key, list) or not all(map(_is_value, key)):
        raise BadRequest('Invalid value of "after": expected that of the link "next" of another answer.')
    return key


def _is_value(part: object) -> bool:
    return part is None or isinstance(part, int) or (isinstance(part, str) and is_utf8(part))


def _bad_name(relation: TableClause, word: str, *, is_repeated: bool) -> BadRequest:
    if is_repeated:
        return BadRequest(f'Parameter "{word}" was given twice.')
    known = known_names("parameters", word, [*_OPTIONS, *(column.name for column in relation.c)])
    return BadRequest(f'Relation "{relation.name}" has no column "{printable_text(word)}".{known}')
