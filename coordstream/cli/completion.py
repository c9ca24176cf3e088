"""Shell completion of JOB, TASK, INPUT and STREAM from the database, if it answers quickly.

Completion starts no server, writes nothing and prints no error: it then offers nothing. The driver is loaded only when
the database is queried.
"""

import os
import re
from collections.abc import Sequence
from typing import Any, Final

import typer

VARIABLE: Final = "_COORDSTREAM_COMPLETE"
"""Set by a shell that completes, to the format that it expects."""

CONNECT_SECONDS: Final = 2
ANSWER_MS: Final = 1_000

_JOBS: Final = "select distinct job_name || '/' || job_id from projection.job_log"
_STREAMS: Final = "select stream_name from eventlog.log union select stream_name from coordinator.log_position"
_TASKS: Final = """
select t.task_name from coordinator.task_container t where %(job)s in (t.job_name, t.job_name || '/' || t.job_id)
union
select c.task_name from coordinator.checkpoint c where %(job)s in (c.job_name, c.job_name || '/' || c.job_id)
"""
_INPUTS: Final = """
select distinct p.system_name || '.' || p.stream_name from coordinator.task_partition p
where %(job)s in (p.job_name, p.job_name || '/' || p.job_id)
union
select distinct c.system_name || '.' || c.stream_name from coordinator.checkpoint c
where %(job)s in (c.job_name, c.job_name || '/' || c.job_id)
"""
_BASH_SPECIAL: Final = re.compile(r"([^\w@%+=:,./-])")


class _Escaped(str):
    """A candidate with escapes for bash, which Typer would otherwise compare with the word without escapes."""

    __slots__ = ()

    def startswith(self, *_: object) -> bool:
        return True


def completed_line() -> list[str] | None:
    """The words of the line to complete, without the program's name; None if no shell is completing."""
    if VARIABLE not in os.environ:
        return None
    line = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", "")
    return line.split()[1:]


def complete_job(incomplete: str) -> list[str]:
    """Jobs, as ``name/id``."""
    return _offer(_JOBS, {}, incomplete)


def complete_stream(incomplete: str) -> list[str]:
    """Streams that the database knows."""
    return _offer(_STREAMS, {}, incomplete)


def complete_task(context: typer.Context, incomplete: str) -> list[str]:
    """Tasks of the job named earlier on the line."""
    return _offer(_TASKS, {"job": _find_job(context)}, incomplete)


def complete_input(context: typer.Context, incomplete: str) -> list[str]:
    """Input streams of the job named earlier on the line, as ``system.stream``."""
    return _offer(_INPUTS, {"job": _find_job(context)}, incomplete)


def _find_job(context: typer.Context) -> str | None:
    # while an option has no value yet, Typer does not assign the arguments: they are left over
    job: str | None = context.params.get("job") or next(iter(context.args), None)
    return job


def _offer(query: str, values: dict[str, Any], incomplete: str) -> list[str]:
    try:
        answers = _query(query, values)
    except Exception:  # the user is typing: an error message would get in the way
        return []
    return [_escape(answer) for answer in sorted(answers) if answer.startswith(incomplete)]


def _query(query: str, values: dict[str, Any]) -> Sequence[str]:
    import psycopg  # noqa: PLC0415

    url = _running_database()
    if url is None:
        return []
    with psycopg.connect(url, connect_timeout=CONNECT_SECONDS, autocommit=True, client_encoding="UTF8") as connection:
        connection.execute(f"set statement_timeout = {ANSWER_MS}")
        return [answer for (answer,) in connection.execute(query.encode(), values)]


def _running_database() -> str | None:
    from coordstream.postgres import EmbeddedPostgres  # noqa: PLC0415
    from coordstream.settings import load_settings  # noqa: PLC0415

    settings = load_settings()
    if settings.database_url is not None:
        return settings.database_url.get_secret_value()
    server = EmbeddedPostgres(settings.home)
    return server.connect_url() if server.status().state == "running" else None


def _escape(candidate: str) -> str:
    """A candidate as it has to be typed. Bash, unlike other shells, inserts it unchanged, perhaps within quotes."""
    if os.environ.get(VARIABLE) != "complete_bash" or _begins_with_quote():
        return candidate
    return _Escaped(_BASH_SPECIAL.sub(r"\\\1", candidate))


def _begins_with_quote() -> bool:
    words = os.environ.get("COMP_WORDS", "").split("\n")
    at = int(os.environ.get("COMP_CWORD", "0"))
    return at < len(words) and words[at].startswith(("'", '"'))
