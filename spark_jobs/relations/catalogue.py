"""The relations that a database has, and the errors about names that it does not have."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, LiteralString

from eventlog.errors import did_you_mean, printable_text
from projections.job_choice import Job
from spark_jobs.errors import SparkJobError
from spark_jobs.relations.cuts import Cut, HistoryToCut, LogOffset, StateAtCut, as_of_function
from spark_jobs.relations.jdbc import Relation, Rows
from spark_jobs.relations.snapshots import Snapshot

OTHER_HISTORIES: Final = ("config_change", "event")

_RELATIONS: Final[LiteralString] = """
SELECT c.relname, array_agg(a.attname::text ORDER BY a.attnum)
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relnamespace = 'coordinator'::regnamespace AND c.relkind IN ('v', 'r', 'm', 'p') GROUP BY c.relname
"""
_FUNCTIONS: Final[LiteralString] = """
SELECT proname::text FROM pg_catalog.pg_proc WHERE pronamespace = 'coordinator'::regnamespace
"""


@dataclass(frozen=True)
class Catalogue:
    """The columns of each relation in schema `coordinator`, and the names of the functions there."""

    relations: Mapping[str, Sequence[str]]
    functions: Collection[str]

    @classmethod
    def of(cls, snapshot: Snapshot) -> "Catalogue":
        """The catalogue of a database."""
        relations: list[tuple[str, list[str]]] = snapshot.connection.execute(_RELATIONS).fetchall()
        functions = snapshot.connection.execute(_FUNCTIONS).fetchall()
        return cls(dict(relations), {name for (name,) in functions})

    def rows(self, name: str, columns: Sequence[str] | None, job: Job | None, cut: Cut | None) -> Rows:
        """What to read for a relation: the wanted columns (all for None) of a job (all for None), now or at a cut.

        Raises SparkJobError for an unknown relation or column, and for a relation that has no form as of a cut.
        """
        wanted = self._columns(name, columns)
        if cut is None:
            return Relation(name, wanted, {} if job is None else {"job_name": job.name, "job_id": job.id})
        if as_of_function(name, cut) in self.functions:
            return StateAtCut(name, wanted, cut)
        if is_history(name):
            return HistoryToCut(name, wanted, cut)
        others = [one for one in self.relations if as_of_function(one, cut) in self.functions or is_history(one)]
        raise SparkJobError(f'Relation "{name}" cannot be read as of a {kind_of(cut)}. These can: {_all(others)}.')

    def _columns(self, name: str, columns: Sequence[str] | None) -> tuple[str, ...]:
        if name not in self.relations:
            known = f"{did_you_mean(name, self.relations)} Relations: {_all(self.relations)}."
            raise SparkJobError(f'Unknown relation "{printable_text(name)}".{known}')
        known_columns = self.relations[name]
        wanted = known_columns if columns is None else columns
        for column in wanted:
            if column not in known_columns:
                known = f"{did_you_mean(column, known_columns)} Columns: {', '.join(known_columns)}."
                raise SparkJobError(f'Relation "{name}" has no column "{printable_text(column)}".{known}')
        return tuple(wanted)


def is_history(name: str) -> bool:
    """Whether a row of the relation is an event, so that the rows up to a cut are those of the events up to it."""
    return name.endswith("_history") or name in OTHER_HISTORIES


def kind_of(cut: Cut) -> str:
    """What the cut is: a time or a log offset."""
    return "log offset" if isinstance(cut.at, LogOffset) else "time"


def _all(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
