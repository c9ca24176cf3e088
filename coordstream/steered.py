"""Opens steered jobs where the settings say: their logs, and the brokers of their inputs."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager

from coordstream.errors import CoordstreamError
from coordstream.event_logs import open_job_record
from coordstream.input_system import OpenInputs, input_options
from managers.steered.job_record import JobRecord
from managers.steered.steered_job import OpenJob, SteeredJob

SOURCE = "coordstream steered"
"""What messages on the job's log name as their writer."""


@contextmanager
def open_steered(word: str, inputs: Sequence[str], config: Mapping[str, str]) -> Iterator[OpenJob]:
    """Open the job ``NAME/ID`` or ``NAME``, and its inputs, such as ``kafka.clicks``; create its streams if missing.

    The brokers of a system are those of ``systems.<system>.consumer.bootstrap.servers`` in ``config``, or else of the
    settings. Raises `CoordstreamError`: an input is invalid; `InputUnknown`: a system cannot be reached;
    `JobOfAnotherProgram`.
    """
    streams = [_parse(word) for word in inputs]
    if not streams:
        raise CoordstreamError("The job has no inputs. Expected names such as kafka.clicks.")
    systems = sorted({system for system, _ in streams})
    brokers = {system: input_options(config, system, None) for system in systems}
    given = {**config, "task.inputs": ",".join(inputs)}
    with ExitStack() as stack:
        opened = stack.enter_context(OpenInputs())
        admins = {system: opened.admin(config, system) for system in systems}
        record: JobRecord = stack.enter_context(open_job_record(word, source=SOURCE))
        yield OpenJob(SteeredJob(record, admins, streams, given), brokers)


def _parse(word: str) -> tuple[str, str]:
    system, _, stream = word.partition(".")
    if not system.strip() or not stream.strip():
        raise CoordstreamError(f"Invalid input {word!r}. Expected SYSTEM.STREAM, for example kafka.clicks.")
    return system, stream
