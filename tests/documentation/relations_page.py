"""Generates docs/relations.md from the catalogue and the example queries, and parses it for tests."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

JOB: Final = ("job_name", "job_id")
PROVENANCE_KEY: Final = ("stream_kind", "incarnation", "log_offset")

_NULL: Final = re.compile(r" ?Null: (.+)\.$", re.DOTALL)
_KEY: Final = re.compile(r"\nKey: (.+)\.$")
_DEFAULT: Final = re.compile(r" DEFAULT ([^:,)]+)(?:::[a-z ]+)?")
_TABLE_HEAD: Final = "| column | type | null | meaning |\n| --- | --- | --- | --- |"
_ROW: Final = re.compile(r"^\| `(\w+)` \| (\w+) \| (.*?) \| (.*) \|$", re.MULTILINE)
_NEVER: Final = "–"
_COMMON: Final = 8
"""A column that means the same in as many relations is described once."""

_COMMON_HEAD: Final = "## Columns of many relations"
_COMMON_SENTENCE: Final = "A column that is not in the table of its relation means what it means everywhere:"
_ESCAPED: Final = r"\|"


@dataclass(frozen=True)
class Column:
    """A column; ``null_when`` is None if it is never null."""

    name: str
    kind: str
    null_when: str | None
    meaning: str


@dataclass(frozen=True)
class Function:
    """A function: its arguments and result as Postgres spells them, and its comment."""

    name: str
    arguments: str
    result: str
    comment: str


@dataclass(frozen=True)
class Example:
    """A question and the query that answers it."""

    question: str
    query: str


@dataclass(frozen=True)
class Relation:
    """A relation; ``key`` has the columns that identify a row, including those of the job."""

    name: str
    sentences: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]
    functions: tuple[Function, ...] = ()
    examples: tuple[Example, ...] = ()


def short_type(kind: str) -> str:
    """The short name of a type."""
    return kind.replace("timestamp with time zone", "timestamptz")


def column_of(name: str, kind: str, comment: str) -> Column:
    """A column from its comment, whose last sentence says when it is null, if it can be (``Null: <when>.``)."""
    null = _NULL.search(comment)
    return Column(name, short_type(kind), null and null[1], _NULL.sub("", comment))


def sentences_and_key(comment: str) -> tuple[str, tuple[str, ...]]:
    """Split the comment of a relation, whose last line is ``Key: <columns>.``.

    Raises:
        ValueError: the comment has no such line.
    """
    found = _KEY.search(comment)
    if found is None:
        raise ValueError(f"The comment {comment!r} has no last line `Key: <columns>.`")
    return _KEY.sub("", comment), tuple(found[1].split(", "))


def page(preface: str, relations: Sequence[Relation], functions: Sequence[Function]) -> str:
    """The whole page; ``functions`` are those that return rows of no relation."""
    contents = ["| relation | a row is |\n| --- | --- |", *(_contents_row(relation) for relation in relations)]
    counted = Counter(column for relation in relations for column in relation.columns)
    common = [column for column, count in counted.items() if count >= _COMMON]
    shared = [_COMMON_HEAD, _COMMON_SENTENCE, _table(common)]
    others = ["## Functions", *map(_function_line, functions)] if functions else []
    parts = [preface.strip(), "\n".join(contents), *shared, *others, *(_section(each, common) for each in relations)]
    return "\n\n".join(parts) + "\n"


def _contents_row(relation: Relation) -> str:
    return f"| [{relation.name}](#{relation.name}) | {relation.sentences.partition('. ')[0].removesuffix('.')} |"


def _section(relation: Relation, common: Sequence[Column]) -> str:
    key = ", ".join(f"`{name}`" for name in relation.key)
    columns = ", ".join(f"`{column.name}`" for column in relation.columns)
    own = [column for column in relation.columns if column not in common]
    parts = [f"## {relation.name}", relation.sentences, f"Key: {key}.", f"Columns: {columns}.", _table(own)]
    parts += ["\n".join(map(_function_line, relation.functions))] * bool(relation.functions)
    parts += [f"### {example.question}\n\n```sql\n{example.query}\n```" for example in relation.examples]
    return "\n\n".join(parts)


def _table(columns: Iterable[Column]) -> str:
    return "\n".join([_TABLE_HEAD, *map(_row, columns)])


def _row(column: Column) -> str:
    cells = [f"`{column.name}`", column.kind, column.null_when or _NEVER, column.meaning]
    return f"| {' | '.join(cell.replace('|', _ESCAPED) for cell in cells)} |"


def _function_line(function: Function) -> str:
    arguments = _DEFAULT.sub(r" default \1", short_type(function.arguments)).replace("default NULL", "default null")
    result = "" if function.result.startswith("SETOF coordinator.") else f" returns {short_type(function.result)}"
    return f"- `{function.name}({arguments}){result}`: {function.comment.replace(chr(10), ' ')}"


def parse_page(text: str) -> list[Relation]:
    """The relations on a page, without their functions and examples."""
    common, *sections = [section for section in re.split(r"^## ", text, flags=re.MULTILINE) if _TABLE_HEAD in section]
    return [_parsed(section, _parsed_columns(common)) for section in sections]


def _parsed(section: str, common: Mapping[str, Column]) -> Relation:
    name, sentences, key, columns, *_ = section.split("\n\n", 4)
    known = {**common, **_parsed_columns(section)}
    return Relation(name, sentences, _names(key), tuple(known[column] for column in _names(columns)))


def _names(line: str) -> tuple[str, ...]:
    return tuple(re.findall(r"`(\w+)`", line))


def _parsed_columns(section: str) -> dict[str, Column]:
    found = {}
    for name, kind, null, meaning in _ROW.findall(section):
        null_when, said = (cell.replace(_ESCAPED, "|") for cell in (null, meaning))
        found[name] = Column(name, kind, None if null_when == _NEVER else null_when, said)
    return found
