"""What the fold remembers of a log from batch to batch, its time, and the events that cannot be read."""

from collections.abc import Sequence
from functools import lru_cache, partial
from itertools import accumulate
from typing import Final

from eventlog.errors import WireError
from eventlog.secret_policy import SecretPolicy
from eventlog.streams import StreamKind
from eventlog.timestamps import MICROS_OF_AN_HOUR
from projections.fold.checkpoint_template import KnownRoles
from projections.fold.checkpoints import LayoutDictionary
from projections.fold.keys import KeyDictionary, KeyEntry
from projections.fold.message_bodies import Author, PlainConfigs
from projections.fold.rows import QuarantineRow

STRIDE: Final = 100
"""Events from one stored log_time to the next, at most and in any batches; a search reads at most this many events."""


class LogClock:
    """Follows one log's time over a batch; all times in microseconds since 2000.

    A record time counts unless it is more than an hour after ``archived_at``. Before the first one that counts, the
    log's time is that of archiving. It never decreases. ``until_row``: the number of events before the next row, if
    their record times are the log's time.
    """

    def __init__(self, now: int | None, archived_at: int, until_row: int = 0) -> None:
        self.now = now
        self.until_row = until_row
        self._archived_at = archived_at
        self._latest = archived_at + MICROS_OF_AN_HOUR
        self.rows: list[tuple[int, int]] = []

    def take(self, offsets: Sequence[int], times: Sequence[int | None]) -> None:
        """Add the next events, by their offsets and record times.

        ``rows`` gets an (offset, log_time) at the log's first event, at every event whose record time is not the log's
        time, and at the `STRIDE`-th event after a row.
        """
        if not times:
            return
        reached = self._reach(times)
        if reached != times:
            for place, (time, record_time) in enumerate(zip(reached, times, strict=True)):
                if time != record_time:
                    if place > self.until_row:
                        self._add_rows(offsets, reached, place)
                    self.rows.append((offsets[place], time))
                    self.until_row = place + STRIDE
        self._add_rows(offsets, reached, len(times))
        self.until_row -= len(times)

    def _reach(self, times: Sequence[int | None]) -> list[int]:
        """The log's time at each event."""
        if self.now is None:
            first = times[0]
            self.now = self._archived_at if first is None or first > self._latest else first
        now, latest = self.now, self._latest
        reached = list(accumulate([now if time is None or time > latest else time for time in times], max, initial=now))
        self.now = reached[-1]
        return reached[1:]

    def _add_rows(self, offsets: Sequence[int], reached: Sequence[int], end: int) -> None:
        """Add every `STRIDE`-th row up to an index."""
        rows = range(self.until_row, end, STRIDE)
        self.rows += [(offsets[at], reached[at]) for at in rows]
        self.until_row += len(rows) * STRIDE


BEFORE_THE_FIRST: Final = -1


class LogFold:
    """A log's dictionaries of keys and layouts, its log_time, and the offset of its last event."""

    def __init__(
        self,
        log_id: int,
        kind: StreamKind,
        secrets: SecretPolicy,
        log_time: int | None = None,
        last_offset: int = BEFORE_THE_FIRST,
        until_log_time: int = 0,
    ) -> None:
        self.log_id = log_id
        self.secrets = secrets
        self.keys = KeyDictionary(kind, secrets)
        self.layouts = LayoutDictionary()
        self.roles: KnownRoles = {}
        self.log_time = log_time
        self.until_log_time = until_log_time
        self.last_offset = last_offset
        # not a method: `no_collections` never frees a cycle
        self.masked_author = lru_cache(maxsize=1_000)(partial(_masked_author, secrets))
        self.plain_configs = PlainConfigs(secrets, self.masked_author)


def _masked_author(secrets: SecretPolicy, *author: str | None) -> Author:
    """Source, host and username are free texts, which may contain a secret too. There are few of them."""
    return tuple(None if text is None else secrets.mask_text(text) for text in author)


class QuarantinedEvents:
    """``rows`` to append to quarantine, and (key, offset) of keys whose earlier events there are ``resolved``."""

    def __init__(self, log_id: int, secrets: SecretPolicy) -> None:
        self._log_id = log_id
        self._secrets = secrets
        self.rows: list[QuarantineRow] = []
        self.resolved: list[tuple[int, int]] = []

    def resolve(self, entry: KeyEntry, offset: int) -> None:
        if entry.is_quarantined:
            entry.is_quarantined = False
            self.resolved.append((entry.key_id, offset))

    def add(
        self,
        entry: KeyEntry | None,
        key: bytes | None,
        offset: int,
        record_time: int | None,
        value: bytes | None,
        error: WireError,
    ) -> None:
        """Add an event that cannot be read. ``key`` is needed if the key cannot be read either."""
        if entry is not None:
            entry.is_quarantined = True
        self.rows.append(
            QuarantineRow(
                offset,
                record_time,
                self._log_id,
                None if entry is None else entry.key_id,
                None if value is None else len(value),
                error.reason,
                error.detail,
                self._key_text(entry, key),
                None if value is None else self._secrets.fingerprint(value),
            )
        )

    def _key_text(self, entry: KeyEntry | None, key: bytes | None) -> str | None:
        secrets = self._secrets
        if entry is None:
            return None
        if entry.meaning.error is None or key is None:
            return secrets.mask_text(entry.meaning.message_key or "")
        text = key.decode("utf-8", "backslashreplace").replace("\0", "\\x00")
        return secrets.fingerprint(text) if secrets.is_secret_name(text) else secrets.mask_text(text)
