"""`coordstream serve`: health, metrics, JSON and pages over HTTP."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from coordstream.cli.arguments import MaxCommitAge, MaxLag, duration_option, job_limits, parse_limit
from coordstream.cli.long_running import Format, LogLines, stopped_by_signals
from coordstream.database import DatabaseUnreachable, database_url, open_database
from coordstream.errors import require_packages
from coordstream.settings import load_settings

if TYPE_CHECKING:
    from coordstream.web_server import Address

app = typer.Typer()

_BASE_PATH: Final = re.compile(r"(?:/[A-Za-z0-9._~-]+)+")


def _parse_base_path(text: str) -> str:
    path = text.rstrip("/")
    if path and not _BASE_PATH.fullmatch(path):
        raise typer.BadParameter(
            f"Invalid path {text!r}. Expected one such as /coordstream, of letters, digits and ._~-."
        )
    return path


@app.command()
def serve(
    bind: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="The address to listen on. All but loopback need a token.")
    ] = "127.0.0.1:8470",
    token_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A file with the token that requests must have: as a Bearer token, or as the password of HTTP Basic.",
        ),
    ] = None,
    query_timeout: Annotated[
        float, duration_option(help="How long a query may take (default: 10s).", show_default=False)
    ] = 10.0,
    ready_lag: Annotated[
        int,
        typer.Option(
            metavar="OFFSETS",
            parser=parse_limit,
            help="How many offsets a log may be behind its end for /readyz to be ready.",
        ),
    ] = 1000,
    base_path: Annotated[
        str,
        typer.Option(
            metavar="PATH",
            parser=_parse_base_path,
            help="The path at which a proxy shows the pages, such as /coordstream; requests may have it or not.",
        ),
    ] = "",
    max_commit_age: MaxCommitAge = None,
    max_lag: MaxLag = None,
    log_format: Format = "text",
) -> None:
    """Serve health, metrics, JSON and pages over HTTP, from the database. Nothing can be written.

    SIGTERM stops it, with exit code 0. While the database does not answer, requests are answered with status 503.

    Example: coordstream serve --bind 0.0.0.0:8470 --token-file token
    """
    require_packages("starlette", "uvicorn", "jinja2", "prometheus_client", "psycopg_pool")
    from coordstream.serve.service import ServiceLimits, open_service  # noqa: PLC0415 (needs the extra)

    address = parse_address(bind)
    report = LogLines(log_format).message
    settings = load_settings()
    url = database_url(settings)
    limits = ServiceLimits(query_timeout, ready_lag, job_limits(max_commit_age, max_lag))
    with open_service(settings, url, address, token_file, limits, report, base_path) as server:
        try:
            with open_database(warns=False):
                pass
        except DatabaseUnreachable as error:
            report(f"{error} Until then, requests are answered with status 503.")
        report(f"Serving http://{server.address}/ (stop with Ctrl-C).")
        with stopped_by_signals(lambda _: server.stop()), server.in_thread():
            server.wait()
    if server.failure is not None:  # it has been reported
        raise typer.Exit(1)


def parse_address(text: str) -> "Address":
    """An address to listen on. Raises typer.BadParameter."""
    from coordstream.web_server import parse_address as address_of  # noqa: PLC0415 (needs the extra)

    try:
        return address_of(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
