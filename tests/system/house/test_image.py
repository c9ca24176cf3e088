"""The Dockerfile's target ``command``, without a container engine: its steps run on this machine, and the command in a
root folder that has only the system, Python and what was built. Not run: base images, apt-get, and the other target.
"""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Final

import pytest

from eventlog.postgres.connection import connect
from eventlog.postgres.log import PostgresEventLog
from eventlog.streams import identify
from tests.builders import config_set
from tests.checkout import CHECKOUT
from tests.fixtures.projections.follow.running import ORDERS, wait_for_position
from tests.fixtures.waiting import PATIENCE, wait_until

CAN_MOUNT: Final = (
    shutil.which("unshare") is not None
    and subprocess.run(["unshare", "--mount", "--pid", "--fork", "true"], check=False, capture_output=True).returncode
    == 0
)
pytestmark = [pytest.mark.long, pytest.mark.skipif(not CAN_MOUNT, reason="needs root, and unshare with mounts")]

TEST_PACKAGES: Final = {"pytest", "hypothesis", "moto", "selenium", "mypy", "ruff", "pip", "setuptools", "hatchling"}
MOST_BYTES: Final = 350 << 20
START: Final = """
set -e; umask 022
mount -t tmpfs -o mode=755 tmpfs "$1"
cd "$1"; shift
for folder in /usr /bin /lib /lib64 /etc /dev {python} /opt/coordstream; do
    [ ! -e $folder ] || {{ mkdir -p .$folder; mount --rbind $folder .$folder; mount -o remount,bind,ro .$folder; }}
done
mkdir proc tmp
mount -t proc proc proc
mount -t tmpfs -o mode=1777 tmpfs tmp
mount -o remount,ro .
exec /usr/sbin/chroot . setpriv --reuid 54321 --regid 0 --clear-groups "$@"
"""


def instructions(stage: str) -> list[tuple[str, str]]:
    """The instructions of a stage, each with its arguments."""
    lines = (CHECKOUT / "Dockerfile").read_text().replace("\\\n", " ").splitlines()
    found = [tuple(line.split(maxsplit=1)) for line in lines if line and not line.startswith("#")]
    starts = [at for at, (name, _) in enumerate(found) if name == "FROM"]
    (first,) = [at for at in starts if found[at][1].endswith(f" AS {stage}")]
    return [(name, rest) for name, rest in found[first + 1 : min((at for at in starts if at > first), default=None)]]


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is in ``/opt`` after the build stage."""
    folder, source = tmp_path_factory.mktemp("opt"), tmp_path_factory.mktemp("source")
    for line in (CHECKOUT / ".dockerignore").read_text().splitlines():
        path = CHECKOUT / line.removeprefix("!")
        if line.startswith("!"):
            (shutil.copytree if path.is_dir() else shutil.copy)(path, source / path.name)
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    for name, step in instructions("build"):
        if name == "RUN" and not step.startswith("apt-get"):
            run = f"mount --bind {folder} /opt && {step}"
            command = ["unshare", "--mount", "bash", "-ec", run]
            done = subprocess.run(command, cwd=source, env=environment, check=False, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
    return folder


@contextmanager
def container(image: Path, root: Path, *words: str, database_url: str = "") -> Iterator[subprocess.Popen[str]]:
    """The command as the first process of a container: as another user, with nothing to write to but /tmp."""
    environment = dict(
        rest.split("=", 1) for name, rest in instructions("run") if name == "ENV" for rest in rest.split()
    )
    environment["PATH"] = environment["PATH"].replace("$PATH", "/usr/bin:/bin")
    environment |= {"COORDSTREAM_DATABASE_URL": database_url, "COORDSTREAM_MASK_KEY": "k" * 32}
    start = f"mount --bind {image} /opt\n" + START.format(python=sys.base_prefix)
    command = ["unshare", "--mount", "--pid", "--fork", "bash", "-c", start, "start", str(root), "coordstream", *words]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        yield process


def output(image: Path, root: Path, *words: str, database_url: str = "") -> str:
    with container(image, root, *words, database_url=database_url) as process:
        out, error = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, error
    return out


def test_the_image_has_no_test_packages_and_is_small(image: Path) -> None:
    (packages,) = image.glob("coordstream/lib/python*/site-packages")
    names = {str(one.metadata["Name"]).lower() for one in metadata.distributions(path=[str(packages)])}
    assert {"coordstream", "starlette", "pyarrow"} <= names
    assert names & TEST_PACKAGES == set()
    assert sum(path.lstat().st_size for path in image.rglob("*")) < MOST_BYTES


def test_the_command_is_compiled_and_follows_as_any_user_on_a_read_only_root(
    image: Path, tmp_path: Path, empty_database_url: str
) -> None:
    assert output(image, tmp_path, "--version") == f"coordstream {metadata.version('coordstream')}, compiled\n"
    output(image, tmp_path, "db", "migrate", database_url=empty_database_url)
    with (
        PostgresEventLog.create(empty_database_url, identify(ORDERS)) as log,
        connect(empty_database_url) as connection,
    ):
        log.append([config_set()])
        with container(image, tmp_path, "follow", ORDERS, database_url=empty_database_url) as process:
            wait_for_position(connection, ORDERS, 1)
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
            os.kill(int(wait_until(children.read_text)), signal.SIGTERM)
            process.communicate(timeout=PATIENCE)
            assert process.returncode == 0
