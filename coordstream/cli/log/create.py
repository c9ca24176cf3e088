"""`coordstream log create`: an empty stream."""

from typing import Annotated

import typer

from coordstream.cli.arguments import Json, Kind, parse_replicas
from coordstream.cli.event_logs import create_log
from coordstream.cli.output import print_json


def create(
    stream: Annotated[str, typer.Argument(metavar="STREAM", help="Its name, for example __samza_coordinator_JOB_1.")],
    kind: Kind = None,
    replication_factor: Annotated[
        int | None,
        typer.Option(
            metavar="N", parser=parse_replicas, help="Replicas of the topic (default: as configured on the brokers)."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Create an empty stream: a topic with Samza's settings if brokers are set, else a log in Postgres."""
    place = create_log(stream, kind, replication_factor)
    if as_json:
        print_json([{"stream_name": stream, "place": place}])
    else:
        print(f"{stream} created {place}")
