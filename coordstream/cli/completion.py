"""What a shell offers while JOB, TASK, INPUT or STREAM is being typed: what the database knows, if it answers at once.

Nothing is started for it, nothing is written, and no error is shown: there is nothing to offer then. Drivers are loaded
only when something has to be asked.
"""

import os
import re
from collections.abc import Sequence
from typing import Any, Final

import typer

VARIABLE: Final = "_COORDSTREAM_COMPLETE"
"""What a shell sets to the way in which it wants an answer."""

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
_STEERS_BASH: Final = re.compile(r"([^\w@%+=:,./-])")


class _Escaped(str):
    """A candidate as bash has to be given it; Typer would compare it with what was typed, read without escapes."""

    __slots__ = ()

    def startswith(self, *_: object) -> bool:
        return True


def completed_line() -> list[str] | None:
    """The words of the line that is being completed, without the program's; None if nothing is."""
    if VARIABLE not in os.environ:
        return None
    line = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", "")
    return line.split()[1:]


def complete_job(incomplete: str) -> list[str]:
    """Jobs, as ``name/id``."""
    return _offered(_JOBS, {}, incomplete)


def complete_stream(incomplete: str) -> list[str]:
    """Streams that the database knows."""
    return _offered(_STREAMS, {}, incomplete)


def complete_task(context: typer.Context, incomplete: str) -> list[str]:
    """Tasks of the job that stands before."""
    return _offered(_TASKS, {"job": _job_before(context)}, incomplete)


def complete_input(context: typer.Context, incomplete: str) -> list[str]:
    """Input streams of the job that stands before, as ``system.stream``."""
    return _offered(_INPUTS, {"job": _job_before(context)}, incomplete)


def _job_before(context: typer.Context) -> str | None:
    # an option that still lacks its value keeps Typer from telling arguments apart: they are left over then
    job: str | None = context.params.get("job") or next(iter(context.args), None)
    return job


def _offered(query: str, values: dict[str, Any], incomplete: str) -> list[str]:
    try:
        answers = _answers(query, values)
    except Exception:  # whatever it is: the user is typing, and can't be told
        return []
    return [_typed(answer) for answer in sorted(answers) if answer.startswith(incomplete)]


def _answers(query: str, values: dict[str, Any]) -> Sequence[str]:
    import psycopg  # noqa: PLC0415

    url = _running_database()
    if url is None:
        return []
    with psycopg.connect(url, connect_timeout=CONNECT_SECONDS, autocommit=True) as connection:
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


def _typed(candidate: str) -> str:
    """A candidate as it has to be typed: bash, unlike other shells, takes it as it is, and the word may be quoted."""
    if os.environ.get(VARIABLE) != "complete_bash" or _begins_with_quote():
        return candidate
    return _Escaped(_STEERS_BASH.sub(r"\\\1", candidate))


def _begins_with_quote() -> bool:
    words = os.environ.get("COMP_WORDS", "").split("\n")
    at = int(os.environ.get("COMP_CWORD", "0"))
    return at < len(words) and words[at].startswith(("'", '"'))
