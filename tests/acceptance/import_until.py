"""A process that imports a job and stops at a step, to be killed there.

Arguments: database URL, number of the generated job, step (`archived`, `folded`, `merged`, `committed`), and at which
of its occurrences to stop. Says `<backend pid>` on standard output when it stands there, and waits on standard input.
"""

import sys

from eventlog.postgres.connection import connect
from tests.properties.generated_jobs import Knobs, generate_job
from tests.properties.importing import always_copying, import_events

BATCH_EVENTS = 7
LONG = Knobs(events=(150, 150), without_topic=0, without_coordinator=0, across_partitions=0)


def main(database_url: str, number: str, stop_at: str, occurrence: str) -> None:
    """Import until the step has been reached `count` times."""
    left = int(occurrence)
    with connect(database_url) as connection:
        backend = connection.info.backend_pid

        def on_step(step: str) -> None:
            nonlocal left
            left -= step == stop_at
            if left == 0:
                print(backend, flush=True)
                sys.stdin.read()
                sys.exit("this process was not killed")

        for log in generate_job(int(number), LONG).logs:
            import_events(connection, log.stream_name, log.events, BATCH_EVENTS, make_projector=always_copying(on_step))


if __name__ == "__main__":
    main(*sys.argv[1:])
