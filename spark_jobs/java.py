"""The Java that Spark and Ivy run on."""

import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from spark_jobs.errors import JavaMissingError

OLDEST_MAJOR = 17
ADVICE = f"Install Java {OLDEST_MAJOR} or newer and set JAVA_HOME to its folder, or put it on the PATH."


def find_java(environ: Mapping[str, str]) -> Path:
    """The `java` of JAVA_HOME, else of the PATH. Raises JavaMissingError if it is missing or Spark cannot use it."""
    program = _program(environ)
    try:
        result = subprocess.run(
            [program, "-version"], check=False, env=dict(environ), capture_output=True, text=True, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise JavaMissingError(f"Cannot run Java at '{program}'. {ADVICE}") from error
    major = major_version(result.stderr + result.stdout)
    if result.returncode != 0 or major is None:
        raise JavaMissingError(f"Java at '{program}' prints no version. {ADVICE}")
    if major < OLDEST_MAJOR:
        raise JavaMissingError(f"Java at '{program}' has version {major}, which is too old for Spark. {ADVICE}")
    return program


def major_version(output: str) -> int | None:
    """The major version in the output of `java -version` (`1.8.0_292` is 8), or None."""
    found = re.search(r'version "(?:1\.)?(\d+)', output)
    return int(found[1]) if found else None


def _program(environ: Mapping[str, str]) -> Path:
    if home := environ.get("JAVA_HOME"):
        return Path(home) / "bin" / "java"
    if found := shutil.which("java", path=environ.get("PATH", "")):
        return Path(found)
    raise JavaMissingError(f"Spark needs Java, which is not installed. {ADVICE}")
