"""Shell completion of JOB and STREAM from the database, if it answers quickly; otherwise nothing is offered."""

from typing import Final

_JOBS: Final = "select distinct job_name || '/' || job_id from projection.job_log"
_STREAMS: Final = "select stream_name from eventlog.log"
_SECONDS: Final = 2


def complete_job(incomplete: str) -> list[str]:
    """Jobs, as ``name/id``."""
    return _offer(_JOBS, incomplete)


def complete_stream(incomplete: str) -> list[str]:
    """Streams that the database knows."""
    return _offer(_STREAMS, incomplete)


def _offer(query: str, incomplete: str) -> list[str]:
    try:
        return sorted(answer for answer in _ask(query) if answer.startswith(incomplete))
    except Exception:  # the user is typing: an error message would get in the way
        return []


def _ask(query: str) -> list[str]:
    import psycopg  # noqa: PLC0415

    from coordstream.postgres import EmbeddedPostgres  # noqa: PLC0415
    from coordstream.settings import load_settings  # noqa: PLC0415

    settings = load_settings()
    if settings.database_url is not None:
        url = settings.database_url.get_secret_value()
    else:
        url = EmbeddedPostgres(settings.home).connect_url()
    limits = f"-c statement_timeout={_SECONDS}s"
    with psycopg.connect(url, connect_timeout=_SECONDS, options=limits, client_encoding="UTF8") as connection:
        return [answer for (answer,) in connection.execute(query.encode())]
