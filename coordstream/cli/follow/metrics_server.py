"""`coordstream follow --metrics-port`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from coordstream.cli.follow.progress import LogFormat, report_line
from coordstream.extras import require_packages
from projections.follow.follower import Follower


@contextmanager
def serving_metrics(
    port: str | None, token_file: Path | None, log_format: LogFormat
) -> Iterator[Callable[[Follower], None]]:
    """Serve the metrics of a follower during the block, if a port is given. Call what is yielded with the follower."""
    if port is None:
        if token_file is not None:
            raise typer.BadParameter("--metrics-token-file needs --metrics-port.")
        yield lambda _: None
        return
    require_packages("starlette", "uvicorn", "prometheus_client")
    from coordstream.http.address import parse_address  # noqa: PLC0415 (not installed without the extra)
    from coordstream.serve.follower_service import FollowerWatch, serving_follower  # noqa: PLC0415

    try:
        address = parse_address(port)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    watch = FollowerWatch()
    with serving_follower(address, token_file, watch, report_line(log_format)):
        yield watch.set_follower
