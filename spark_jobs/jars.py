"""The JDBC driver's jar, fetched once by the Ivy that PySpark carries and used by its path from then on."""

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
    """A file that `ivy.xml` names, and the SHA-256 it must have."""

    name: str
    sha256: str

    def stands_at(self, path: Path) -> bool:
        """Whether the file at `path` is this jar, byte for byte."""
        return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == self.sha256


POSTGRES_DRIVER = Jar("postgresql-42.7.13.jar", "6e0e4cc2d8cae902084f8a2b18728b073a6fd9d1f87c9d8bff8f298c18185b93")


def postgres_driver(cache: Path, environ: Mapping[str, str]) -> Path:
    """Path of the Postgres JDBC driver: COORDSTREAM_JDBC_JAR if set, else the cached one, else fetched into `cache`.

    A filled cache is used without Java and without a network. Fetches take turns, and the jar appears in `cache`
    whole or not at all, so a killed fetch and two at once do no harm. Raises JarUnavailableError or JavaMissingError.
    """
    if override := environ.get(OVERRIDE):
        return _overriding(Path(override))
    target = cache / POSTGRES_DRIVER.name
    if not POSTGRES_DRIVER.stands_at(target):
        with _turn(cache):
            if not POSTGRES_DRIVER.stands_at(target):
                _fetch(POSTGRES_DRIVER, target, environ)
    return target


def _overriding(jar: Path) -> Path:
    if not jar.is_file():
        raise JarUnavailableError(
            f"{OVERRIDE} names {jar}, where there is no file: name the JDBC driver's jar, or unset it."
        )
    return jar


@contextmanager
def _turn(cache: Path) -> Iterator[None]:
    """Hold the cache for one fetch. The lock dies with its process, so scratch found under it was left by a kill."""
    try:
        cache.mkdir(parents=True, exist_ok=True)
        lock = (cache / ".lock").open("w")
    except OSError as error:
        raise JarUnavailableError(
            f"Jar cache {cache} cannot be written: {error.strerror}; name another folder."
        ) from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for left in cache.glob(".fetch-*"):
            shutil.rmtree(left)
        yield


def _fetch(jar: Jar, target: Path, environ: Mapping[str, str]) -> None:
    java = find_java(environ)
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=target.parent) as scratch:
        _retrieve(jar, java, Path(scratch), environ)
        fetched = Path(scratch) / jar.name
        if not fetched.is_file():
            raise _unreachable(jar)
        if not jar.stands_at(fetched):
            raise JarUnavailableError(
                f"The {jar.name} that was fetched is not the one that was checked in: do not use it."
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
    return JarUnavailableError(
        f"{jar.name} could not be fetched: try again with a network, or name a copy of it in {OVERRIDE}."
    )


def ivy_program() -> Path:
    """The Ivy jar inside the installed pyspark. Raises JarUnavailableError where pyspark or its jar is missing."""
    spec = importlib.util.find_spec("pyspark")
    if spec is None or spec.origin is None:
        raise JarUnavailableError("pyspark is not installed, and its Ivy fetches the jars: install coordstream again.")
    found = sorted((Path(spec.origin).parent / "jars").glob("ivy-*.jar"))
    if not found:
        raise JarUnavailableError(
            f"pyspark at {Path(spec.origin).parent} holds no Ivy jar: name the driver in {OVERRIDE}."
        )
    return found[-1]
