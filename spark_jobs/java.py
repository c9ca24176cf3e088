"""The machine's Java, which Spark and Ivy run on."""

import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from spark_jobs.errors import JavaMissingError

OLDEST_MAJOR = 17
ADVICE = f"install a JDK of version {OLDEST_MAJOR} or newer, and name its folder in JAVA_HOME or put it on the PATH"


def find_java(environ: Mapping[str, str]) -> Path:
    """The `java` program of JAVA_HOME, else of the PATH. Raises JavaMissingError where Spark can use none."""
    program = _program(environ)
    try:
        answer = subprocess.run(
            [program, "-version"], check=False, env=dict(environ), capture_output=True, text=True, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise JavaMissingError(f"Java at {program} does not run: {ADVICE}.") from error
    major = major_version(answer.stderr + answer.stdout)
    if answer.returncode != 0 or major is None:
        raise JavaMissingError(f"Java at {program} does not say its version: {ADVICE}.")
    if major < OLDEST_MAJOR:
        raise JavaMissingError(f"Java at {program} is version {major}, too old for Spark: {ADVICE}.")
    return program


def major_version(announcement: str) -> int | None:
    """The major version in what `java -version` prints (`1.8.0_292` is 8), or None."""
    found = re.search(r'version "(?:1\.)?(\d+)', announcement)
    return int(found[1]) if found else None


def _program(environ: Mapping[str, str]) -> Path:
    if home := environ.get("JAVA_HOME"):
        return Path(home) / "bin" / "java"
    if found := shutil.which("java", path=environ.get("PATH", "")):
        return Path(found)
    raise JavaMissingError(f"Spark needs Java, and there is none on this machine: {ADVICE}.")
