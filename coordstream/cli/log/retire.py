"""`coordstream log retire`: streams that nothing is expected to follow any more."""

from typing import Annotated

import typer

from coordstream.cli.arguments import Json, complete_stream
from coordstream.cli.log.find import unknown_stream
from coordstream.cli.output import print_json
from coordstream.database import open_database
from projections.retired_streams import known_streams, restore_streams, retire_streams


def retire(
    streams: Annotated[
        list[str],
        typer.Argument(metavar="STREAM", help="The streams of a deleted job.", autocompletion=complete_stream),
    ],
    undo: Annotated[bool, typer.Option("--undo", help="Expect that they are followed again.")] = False,
    as_json: Json = False,
) -> None:
    """Keep the logs of streams, but do not report that nothing follows them, for example after a job was deleted.

    `status` shows a retired stream without a fault. Following or importing it ends its retirement.
    """
    with open_database() as database:
        known = known_streams(database.connection)
        for name in streams:
            if name not in known:
                raise unknown_stream(name, known)
        (restore_streams if undo else retire_streams)(database.connection, streams)
    if as_json:
        print_json([{"stream_name": name, "is_retired": not undo} for name in dict.fromkeys(streams)])
    else:
        for name in dict.fromkeys(streams):
            print(f"{name} is expected to be followed again." if undo else f"{name} is retired.")
