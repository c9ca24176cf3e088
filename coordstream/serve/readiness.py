"""/readyz: whether the relations are up to date, by the rules of `coordstream status`, with more severe limits."""

from typing import Final, NamedTuple

from starlette.requests import Request
from starlette.responses import JSONResponse

from coordstream.queries.faults import Limits, faults, is_to_rebuild
from coordstream.queries.logs import recorded_logs, silent_holders
from coordstream.queries.rows import Row
from coordstream.schema_check import is_current
from coordstream.serve.failures import RETRY_SECONDS
from eventlog.postgres.connection import Connection

MOST_REASONS: Final = 20
ANOTHER_VERSION: Final = (
    "The schema of the database is that of another version of coordstream. Restart this server with that version."
)


class Readiness(NamedTuple):
    """The newest log of each stream, with the sentences about what is wrong with it; and those about no log."""

    logs: list[tuple[Row, list[str]]]
    others: list[str]

    @property
    def reasons(self) -> list[str]:
        """Everything that is wrong; empty: ready."""
        return [*self.others, *(reason for _, reasons in self.logs for reason in reasons)]


def readiness(connection: Connection, most_lag: int) -> Readiness:
    """Whether every log is followed, and has been read to ``most_lag`` offsets before its end.

    The brokers are not asked: a follower writes what it sees of them with each heartbeat.
    """
    if not is_current(connection):
        return Readiness([], [ANOTHER_VERSION])
    limits = Limits(most_lag, must_be_live=True)
    newest = [row for row in recorded_logs(connection) if row["is_newest"]]
    silent = silent_holders(connection)
    logs = [(row, _reasons(row, limits, silent)) for row in newest]
    return Readiness(logs, [] if logs else [*faults([], limits)])


def _reasons(row: Row, limits: Limits, silent: dict[str, str]) -> list[str]:
    found = [*faults([row], limits), *filter(None, [silent.get(row["stream_name"])])]
    return [*found, f"{row['stream_name']} has to be rebuilt."] if is_to_rebuild(row) else found


async def answer_readiness(request: Request) -> JSONResponse:
    """200 if ready, else 503 with reasons; without the token, only with their number."""
    reasons = (await request.app.state.readiness.get()).reasons
    answer: dict[str, object] = {"is_ready": not reasons, "reason_count": len(reasons)}
    if request.state.is_authorized:
        answer["reasons"] = reasons[:MOST_REASONS]
    if not reasons:
        return JSONResponse(answer)
    return JSONResponse(answer, 503, {"Retry-After": str(RETRY_SECONDS)})
