"""ConfigWatch: follows a job's coordinator stream while its coordinator runs, and reports changes of the config."""

from collections.abc import Callable, Iterator
from threading import Event, Lock, Thread
from typing import Final

from coordstream.errors import describe_crash
from eventlog.errors import EventLogError, list_names
from managers.config.job_config import read_config, write_once_changes
from managers.coordinator.serving_context import JobServingContext
from managers.job_names import Config
from managers.stores.coordinator_store import CoordinatorStreamStore

INTERVAL_SECONDS: Final = 1.0
MOST_KEYS: Final = 5


class ConfigWatch:
    """Reads the stream every second. It reports the names of keys, never their values.

    What the coordinator itself writes while it holds `lock` is not reported, if it then serves it.
    """

    def __init__(
        self, store: CoordinatorStreamStore, context: JobServingContext, report: Callable[[str], None]
    ) -> None:
        self.lock: Final = Lock()
        self._store: Final = store
        self._context: Final = context
        self._report: Final = report
        self._stopped: Final = Event()
        self._thread: Final = Thread(target=self._run, name="config-watch", daemon=True)
        self._config: Config = {}
        self._position = 0
        self._outage = ""
        self._failure: Exception | None = None

    def start(self) -> str:
        """Start to watch, from the config as it is now."""
        self._config = read_config(self._store)
        self._position = self._store.position
        self._thread.start()
        return ""

    def stop(self) -> None:
        """Stop; a read that is waiting for brokers is left to end with the process."""
        self._stopped.set()
        if self._thread.ident is not None:
            self._thread.join(INTERVAL_SECONDS)

    def failures(self) -> Iterator[str]:
        """An unexpected error of the last poll."""
        if self._failure is not None:
            yield f"The watch of the config failed unexpectedly: {type(self._failure).__name__}."

    def collect(self) -> tuple[()]:
        """No metrics."""
        return ()

    def _run(self) -> None:
        while not self._stopped.wait(INTERVAL_SECONDS):
            self.poll_once()

    def poll_once(self) -> None:
        """Poll, and report and keep an error."""
        try:
            self.poll()
        except EventLogError as error:
            self._failure = None
            self._report_once(f"{str(error).rstrip('.')}. Retrying.")
        except Exception as error:
            is_new = type(error) is not type(self._failure)
            self._failure = error
            if is_new:
                self._report(f"{next(self.failures())} It is tried again.")
                self._report(describe_crash(error))
        else:
            self._failure = None

    def poll(self) -> None:
        """Read the stream to its end, and report the keys that have changed. Raises what the log raises."""
        with self.lock:
            self._store.catch_up()
            self._end_outage()
            if self._store.position != self._position:
                self._position = self._store.position
                before, self._config = self._config, read_config(self._store)
                self._compare(before, self._config)

    @property
    def has_outage(self) -> bool:
        """Whether the stream could not be read at the last poll."""
        return bool(self._outage)

    def _end_outage(self) -> None:
        if self._outage:
            self._outage = ""
            self._report("The coordinator stream can be read again.")

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
            self._report(f"The config changed ({list_names(changed, MOST_KEYS)}). The next start uses it.")

    def _report_once(self, sentence: str) -> None:
        if sentence != self._outage:
            self._outage = sentence
            self._report(sentence)
