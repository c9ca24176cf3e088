"""The options `--metrics-port` and `--metrics-token-file` of commands that run for long."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from coordstream.extras import require_packages

if TYPE_CHECKING:
    from coordstream.serve.process import Watched

MetricsPort = Annotated[
    str | None,
    typer.Option(
        "--metrics-port",
        metavar="[HOST:]PORT",
        help="Serve /metrics and /healthz of this process over HTTP. All hosts but 127.0.0.1 need a token.",
    ),
]
MetricsTokenFile = Annotated[
    Path | None,
    typer.Option("--metrics-token-file", metavar="FILE", help="A file with the token that these requests need."),
]


@contextmanager
def serving_metrics(
    port: str | None, token_file: Path | None, report: Callable[[str], None], watched: "Watched"
) -> Iterator[None]:
    """Serve what does not work in this process, and its metrics, during the block, if a port is given."""
    if port is None:
        if token_file is not None:
            raise typer.BadParameter("--metrics-token-file needs --metrics-port.")
        yield
        return
    require_packages("starlette", "uvicorn", "prometheus_client")
    from coordstream.serve.process import serving_process  # noqa: PLC0415 (needs the extra)
    from coordstream.web_server import parse_address  # noqa: PLC0415

    try:
        address = parse_address(port)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    with serving_process(address, token_file, watched, report):
        yield
