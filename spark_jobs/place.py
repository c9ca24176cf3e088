"""Places of files: local paths, and URIs of other file systems."""

import re
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from spark_jobs.errors import SparkJobError

ARCHIVE: Final = "archive"
KAFKA: Final = "kafka"
"""The words for the archive and the brokers where a place may be given instead."""
_URI: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")


def local_path(output: str) -> Path | None:
    """The path of a local output, or None for another file system. Raises SparkJobError for an invalid output."""
    if not _URI.match(output):
        return Path(output)
    try:
        parts = urlsplit(output)
    except ValueError as error:
        raise SparkJobError(
            f"Invalid output '{output}': {error}. Expected a path or a URI such as scheme://host/folder."
        ) from None
    if parts.password is not None:
        raise SparkJobError("The URI contains a password. Put the credentials into Spark's configuration instead.")
    if not parts.path.strip("/"):
        raise SparkJobError(
            f"The URI '{output}' contains no folder name. Add one, for example '{output.rstrip('/')}/folder'."
        )
    if parts.scheme.lower() != "file":
        return None
    if parts.netloc not in ("", "localhost") or parts.fragment:
        raise SparkJobError(f"Invalid output '{output}'. Expected file:///folder, with %23 for '#'.")
    return Path(unquote(parts.path))


def is_lake(place: str) -> bool:
    """Whether a path has a Delta table; a URI of another file system than the local one is taken for a lake."""
    local = local_path(place)
    return local is None or (local / "_delta_log").is_dir()
