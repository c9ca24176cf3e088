"""The JDBC driver's jar, fetched once with the copy of Ivy in PySpark, and the Java that Ivy and Spark run on."""

import hashlib
import importlib.util
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from spark_jobs.errors import JarUnavailableError, JavaMissingError

OVERRIDE = "COORDSTREAM_JDBC_JAR"
FETCH_SECONDS = 300
OLDEST_JAVA = 17
JAVA_ADVICE = f"Install Java {OLDEST_JAVA} or newer and set JAVA_HOME to its folder, or put it on the PATH."
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

    A cached jar needs neither Java nor a network. A fetch that is killed leaves no partial jar. Raises
    JarUnavailableError or JavaMissingError.
    """
    if override := environ.get(OVERRIDE):
        if not Path(override).is_file():
            raise JarUnavailableError(
                f"File '{override}' in {OVERRIDE} does not exist. Set it to the JDBC driver's jar, or unset it."
            )
        return Path(override)
    target = cache / POSTGRES_DRIVER.name
    if not POSTGRES_DRIVER.matches(target):
        _fetch(POSTGRES_DRIVER, target, environ)
    return target


def _fetch(jar: Jar, target: Path, environ: Mapping[str, str]) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        problem = f"Cannot write to the jar cache '{target.parent}': {error.strerror}."
        raise JarUnavailableError(f"{problem} Set COORDSTREAM_HOME to another folder.") from error
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=target.parent) as scratch:
        try:
            retrieve_jars(IVY_FILE, f"{scratch}/[artifact]-[revision].[ext]", Path(scratch) / "ivy", environ)
        except (OSError, subprocess.SubprocessError) as error:
            raise _unreachable(jar) from error
        fetched = Path(scratch) / jar.name
        if not fetched.is_file():
            raise _unreachable(jar)
        if not jar.matches(fetched):
            raise JarUnavailableError(
                f"The fetched {jar.name} has an unexpected SHA-256. Check the repository that Ivy uses."
            )
        fetched.replace(target)


def retrieve_jars(
    ivy_file: Path, pattern: str, cache: Path, environ: Mapping[str, str], java_options: Sequence[str] = ()
) -> None:
    """Fetch the jars of an Ivy file to where a pattern says. Raises OSError, SubprocessError, JavaMissingError.

    The caller compares each jar's SHA-256. Ivy does not: a checksum is one more request for every file.
    """
    command = [
        str(find_java(environ)),
        *java_options,
        "-Divy.checksums=",
        "-jar",
        str(ivy_program()),
        "-warn",
        "-cache",
        str(cache),
    ]
    arguments = ["-ivy", str(ivy_file), "-confs", "default", "-retrieve", pattern, "-types", "jar", "bundle"]
    subprocess.run([*command, *arguments], env=dict(environ), check=True, capture_output=True, timeout=FETCH_SECONDS)


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


def find_java(environ: Mapping[str, str]) -> Path:
    """The `java` of JAVA_HOME, else of the PATH. Raises JavaMissingError if it is missing or Spark cannot use it."""
    program = _java_program(environ)
    try:
        result = subprocess.run(
            [program, "-version"], check=False, env=dict(environ), capture_output=True, text=True, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise JavaMissingError(f"Cannot run Java at '{program}'. {JAVA_ADVICE}") from error
    major = major_version(result.stderr + result.stdout)
    if result.returncode != 0 or major is None:
        raise JavaMissingError(f"Java at '{program}' prints no version. {JAVA_ADVICE}")
    if major < OLDEST_JAVA:
        raise JavaMissingError(f"Java at '{program}' has version {major}, which is too old for Spark. {JAVA_ADVICE}")
    return program


def major_version(output: str) -> int | None:
    """The major version in the output of `java -version` (`1.8.0_292` is 8), or None."""
    found = re.search(r'version "(?:1\.)?(\d+)', output)
    return int(found[1]) if found else None


def _java_program(environ: Mapping[str, str]) -> Path:
    if home := environ.get("JAVA_HOME"):
        return Path(home) / "bin" / "java"
    if found := shutil.which("java", path=environ.get("PATH", "")):
        return Path(found)
    raise JavaMissingError(f"Spark needs Java, which is not installed. {JAVA_ADVICE}")
