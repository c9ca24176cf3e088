"""The JDBC driver's jar: fetched once, with the copy of Ivy in PySpark, and cached."""

import fcntl
import hashlib
import importlib.util
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from spark_jobs.errors import JarUnavailableError
from spark_jobs.java import find_java

OVERRIDE = "COORDSTREAM_JDBC_JAR"
FETCH_SECONDS = 300
IVY_FILE = Path(__file__).with_name("ivy.xml")


@dataclass(frozen=True)
class Jar:
    """A jar that `ivy.xml` names, and its SHA-256."""

    name: str
    sha256: str

    def matches(self, path: Path) -> bool:
        """Whether the file at `path` exists and has the jar's SHA-256."""
        return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == self.sha256


POSTGRES_DRIVER = Jar("postgresql-42.7.13.jar", "6e0e4cc2d8cae902084f8a2b18728b073a6fd9d1f87c9d8bff8f298c18185b93")


def postgres_driver(cache: Path, environ: Mapping[str, str]) -> Path:
    """The path of the Postgres JDBC driver: COORDSTREAM_JDBC_JAR if set, else the jar in `cache`, fetched if missing.

    A cached jar needs neither Java nor a network. Concurrent fetches are serialised, and a fetch that is killed leaves
    no partial jar. Raises JarUnavailableError or JavaMissingError.
    """
    if override := environ.get(OVERRIDE):
        return _override(Path(override))
    target = cache / POSTGRES_DRIVER.name
    if not POSTGRES_DRIVER.matches(target):
        with _lock(cache):
            if not POSTGRES_DRIVER.matches(target):
                _fetch(POSTGRES_DRIVER, target, environ)
    return target


def _override(jar: Path) -> Path:
    if not jar.is_file():
        raise JarUnavailableError(
            f"File '{jar}' in {OVERRIDE} does not exist. Set it to the JDBC driver's jar, or unset it."
        )
    return jar


@contextmanager
def _lock(cache: Path) -> Iterator[None]:
    """Lock the cache for one fetch, and remove what killed fetches have left (their locks ended with them)."""
    try:
        cache.mkdir(parents=True, exist_ok=True)
        lock = (cache / ".lock").open("w")
    except OSError as error:
        raise JarUnavailableError(
            f"Cannot write to the jar cache '{cache}': {error.strerror}. Set COORDSTREAM_HOME to another folder."
        ) from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for leftover in cache.glob(".fetch-*"):
            shutil.rmtree(leftover)
        yield


def _fetch(jar: Jar, target: Path, environ: Mapping[str, str]) -> None:
    java = find_java(environ)
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=target.parent) as scratch:
        _retrieve(jar, java, Path(scratch), environ)
        fetched = Path(scratch) / jar.name
        if not fetched.is_file():
            raise _unreachable(jar)
        if not jar.matches(fetched):
            raise JarUnavailableError(
                f"The fetched {jar.name} has an unexpected SHA-256. Check the repository that Ivy uses."
            )
        fetched.replace(target)


def _retrieve(jar: Jar, java: Path, scratch: Path, environ: Mapping[str, str]) -> None:
    pattern = f"{scratch}/[artifact]-[revision].[ext]"
    arguments = ["-warn", "-cache", str(scratch / "ivy"), "-ivy", str(IVY_FILE), "-confs", "default"]
    command = [str(java), "-jar", str(ivy_program()), *arguments, "-retrieve", pattern, "-types", "jar", "bundle"]
    try:
        subprocess.run(command, env=dict(environ), check=True, capture_output=True, timeout=FETCH_SECONDS)
    except (OSError, subprocess.SubprocessError) as error:
        raise _unreachable(jar) from error


def _unreachable(jar: Jar) -> JarUnavailableError:
    return JarUnavailableError(f"Cannot fetch {jar.name}. Try again with a network, or set {OVERRIDE} to a copy of it.")


def ivy_program() -> Path:
    """The Ivy jar inside the installed pyspark. Raises JarUnavailableError if pyspark or its jar is missing."""
    spec = importlib.util.find_spec("pyspark")
    if spec is None or spec.origin is None:
        raise JarUnavailableError("Spark is not installed. Install it with: pip install 'coordstream[spark]'")
    found = sorted((Path(spec.origin).parent / "jars").glob("ivy-*.jar"))
    if not found:
        raise JarUnavailableError(
            f"pyspark at {Path(spec.origin).parent} contains no Ivy jar. Set {OVERRIDE} to the JDBC driver's jar."
        )
    return found[-1]
