"""ConfigWatch: follows a job's coordinator stream while its coordinator runs, and reports changes of the config."""

from collections.abc import Callable, Iterator
from threading import Lock
from typing import Final

from coordstream.errors import describe_crash
from eventlog.errors import EventLogError, list_names
from managers.config.job_config import read_config, write_once_changes
from managers.coordinator.input_monitors import PeriodicCheck
from managers.coordinator.serving_context import JobServingContext
from managers.job_names import Config
from managers.stores.coordinator_store import CoordinatorStreamStore

INTERVAL_SECONDS: Final = 1.0
MOST_KEYS: Final = 5


class ConfigWatch(PeriodicCheck):
    """Reads the stream every second. It reports the names of keys, never their values.

    With ``adapts``, a change is also one for which the coordinator computes the job model again.

    What the coordinator itself writes while it holds `lock` is not reported, if it then serves it.
    """

    def __init__(
        self,
        store: CoordinatorStreamStore,
        context: JobServingContext,
        report: Callable[[str], None],
        *,
        adapts: bool = False,
    ) -> None:
        super().__init__(self.poll, INTERVAL_SECONDS, first_after=INTERVAL_SECONDS, on_failure=self._report_failure)
        self.lock: Final = Lock()
        self._store: Final = store
        self._context: Final = context
        self._report: Final = report
        self._adapts: Final = adapts
        self._config: Config = {}
        self._position = 0
        self._outage = ""

    def start(self) -> None:
        self._config = read_config(self._store)
        self._position = self._store.position
        super().start()

    def failures(self) -> Iterator[str]:
        if self.failure is not None:
            yield f"The watch of the config failed unexpectedly: {type(self.failure).__name__}."

    @property
    def has_outage(self) -> bool:
        return bool(self._outage)

    def collect(self) -> tuple[()]:
        return ()

    def poll(self) -> None:
        """Read the stream to its end, and report the keys that have changed, or that it cannot be read."""
        try:
            with self.lock:
                self._store.catch_up()
                self._report_outage("")
                if self._store.position != self._position:
                    self._position = self._store.position
                    before, self._config = self._config, read_config(self._store)
                    self._compare(before, self._config)
        except EventLogError as error:
            self._report_outage(f"{str(error).rstrip('.')}. Retrying.")

    def _compare(self, before: Config, now: Config) -> None:
        attempt = self._context.attempt
        served = {} if attempt is None else attempt.config
        changed = [key for key in sorted({**before, **now}) if now.get(key) not in (before.get(key), served.get(key))]
        write_once = [key for key, *_ in write_once_changes(before, now) if key in changed]
        if write_once:
            self._report(
                f"Another program changed {list_names(write_once, MOST_KEYS)}, which may be set only once: the next "
                "start would assign the job's state to other tasks. Restore the old value."
            )
        elif changed:
            change = f"The config changed ({list_names(changed, MOST_KEYS)})"
            if self._adapts:
                self._context.changes.put(change)
            else:
                self._report(f"{change}. The next start uses it.")

    def _report_outage(self, outage: str) -> None:
        if outage != self._outage:
            self._outage = outage
            self._report(outage or "The coordinator stream can be read again.")

    def _report_failure(self, error: Exception) -> None:
        self._report(f"{next(self.failures())} It is tried again.")
        self._report(describe_crash(error))
