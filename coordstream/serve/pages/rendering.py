"""Renders the templates. Every value is escaped; pages contain neither scripts nor inline styles."""

from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from coordstream.queries.rows import Row, input_partition
from coordstream.serve.pages.asked import Asked
from coordstream.times import duration, exact, in_words, moment
from eventlog.errors import printable_text
from eventlog.secret_policy import FINGERPRINT_PREFIX

NO_VALUE: Final = "–"
STATIC: Final = {"style.css": "text/css", "icon.svg": "image/svg+xml"}
"""The media type of each file that pages link to."""
SHOWN_DIGITS: Final = 12


@cache
def environment() -> Environment:
    found = Environment(
        loader=PackageLoader("coordstream.serve.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    found.filters |= {
        "duration": lambda seconds: NO_VALUE if seconds is None else duration(int(seconds)),
        "exact": lambda time: NO_VALUE if time is None else exact(time),
        "moment": lambda time: moment(time) or NO_VALUE,
        "number": number,
        "partition": input_partition,
        "shown": shown,
        "utc": lambda time: f"{time:%Y-%m-%d %H:%M:%S}",
    }
    return found


def render(template: str, asked: Asked, values: Row) -> str:
    """A page. A template that uses an unknown name raises."""
    now = datetime.now(UTC)
    ago: dict[str, Any] = {"ago": lambda time: NO_VALUE if time is None else in_words(time, now)}
    given = {"asked": asked, "link": asked.link, "version": static_version(), **ago, **values}
    return environment().get_template(template).render(given)


@cache
def static_content(name: str) -> bytes:
    """The content of a file that pages link to."""
    return (files("coordstream.serve.pages") / "static" / name).read_bytes()


@cache
def static_version() -> str:
    """A text that differs when such a file differs: browsers keep the files."""
    return sha256(b"".join(map(static_content, sorted(STATIC)))).hexdigest()[:16]


def number(value: float | None) -> str:
    return NO_VALUE if value is None else f"{value:,}"


def shown(value: object) -> str:
    """A text on one line; of a secret's fingerprint the first digits."""
    if value is None:
        return NO_VALUE
    text = printable_text(str(value))
    return f"{text[: len(FINGERPRINT_PREFIX) + SHOWN_DIGITS]}…" if text.startswith(FINGERPRINT_PREFIX) else text
