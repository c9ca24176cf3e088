"""Where the events of a log come from: the values of column ``backend`` in ``eventlog.log``."""

from typing import Final

KAFKA: Final = "kafka"
POSTGRES: Final = "postgres"
RECORDING: Final = "recording"
