"""What an import, a replay or a rebuild did with a log."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from eventlog.streams import StreamIdentity

if TYPE_CHECKING:
    from projections.table_differences import TableCheck


@dataclass(frozen=True)
class LogResult:
    """What was done with a log, in events: new ones, those that were in the archive already, and those of the new ones
    that went to quarantine.

    ``rebuilt``: how many archived events a rebuild folded, and ``repaired`` the tables whose rows it replaced.
    ``message`` is for the operator, if not empty.
    """

    stream: StreamIdentity
    incarnation: int
    added: int = 0
    skipped: int = 0
    quarantined: int = 0
    rebuilt: int = 0
    repaired: "tuple[TableCheck, ...]" = ()
    message: str = ""

    @property
    def repaired_rows(self) -> int:
        return sum(table.missing + table.extra + table.different for table in self.repaired)
