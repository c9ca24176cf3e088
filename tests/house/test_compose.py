"""docker-compose.yml, checked as text: no Docker daemon is needed."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest
from ruamel.yaml import YAML
from ruamel.yaml.constructor import DuplicateKeyError

from coordstream.cli import main
from coordstream.settings import ENV_PREFIX, Settings
from tests.coordstream.command_line import CommandLine

CHECKOUT: Final = Path(__file__).parents[2]
TEXT: Final = (CHECKOUT / "docker-compose.yml").read_text()
DOCKERFILE: Final = (CHECKOUT / "Dockerfile").read_text()
VERSION: Final = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]["version"]

#: The keys of the Compose Specification that we use, and their types.
SERVICE: Final[dict[str, type | tuple[type, ...]]] = {
    "build": (str, dict),
    "command": list,
    "depends_on": dict,
    "environment": dict,
    "healthcheck": dict,
    "image": str,
    "ports": list,
    "profiles": list,
    "restart": str,
    "stop_grace_period": str,
    "volumes": list,
}
HEALTHCHECK: Final[dict[str, type | tuple[type, ...]]] = {
    "interval": str,
    "retries": int,
    "start_period": str,
    "test": list,
    "timeout": str,
}
CONDITIONS: Final = {"service_healthy", "service_completed_successfully"}
RESTARTS: Final = {"no", "always", "on-failure", "unless-stopped"}
_DURATION: Final = re.compile(r"[0-9]+s")
_SECRET_NAME: Final = re.compile("PASS|SECRET|KEY|TOKEN")
_REQUIRED: Final = re.compile(r"\$\{[A-Z_]+:\?set it to [^}]+\}")
_VARIABLE: Final = re.compile(r"\$\{([A-Z_]+)(?::([?-])([^}]*))?\}|\$([A-Za-z_$])")


def parsed(text: str) -> dict[str, Any]:
    """The file as Compose parses it: YAML 1.2 without duplicate keys."""
    document = YAML(typ="safe", pure=True).load(text)
    assert isinstance(document, dict)
    return document


COMPOSE: Final = parsed(TEXT)
SERVICES: Final[dict[str, dict[str, Any]]] = COMPOSE["services"]


def test_a_duplicate_key_would_be_detected() -> None:
    with pytest.raises(DuplicateKeyError):
        parsed(TEXT.replace("  migrate:", "  postgres:"))


def test_the_file_follows_the_compose_specification() -> None:
    assert set(COMPOSE) == {"name", "x-coordstream", "services", "volumes"}
    assert set(SERVICES) == {"kafka", "postgres", "migrate", "follow", "spark-follow"}
    for service in SERVICES.values():
        _has_shape(service, SERVICE)
        _has_shape(service.get("healthcheck", {}), HEALTHCHECK)
        assert service["restart"] in RESTARTS
        texts = [*service.get("command", []), *service["environment"].values(), *service.get("ports", [])]
        assert all(isinstance(text, str) for text in texts)
    durations = [value for service in SERVICES.values() for value in _durations(service)]
    assert len(durations) == 14
    assert all(_DURATION.fullmatch(duration) for duration in durations)


def test_every_image_is_pinned() -> None:
    images = {name: service["image"] for name, service in SERVICES.items()}
    assert images == {
        "kafka": "apache/kafka:4.3.1",
        "postgres": "postgres:18.4",
        "migrate": f"coordstream:{VERSION}",
        "follow": f"coordstream:{VERSION}",
        "spark-follow": f"coordstream:{VERSION}-spark",
    }
    bases = re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)
    stages = set(re.findall(r"^FROM \S+ AS (\S+)", DOCKERFILE, re.MULTILINE))
    assert len(bases) == 4
    assert all(base in stages or re.fullmatch(r"python:3\.\d+\.\d+-slim-[a-z]+", base) for base in bases)


def test_no_secret_has_a_default() -> None:
    values = {(name, key): value for name, service in SERVICES.items() for key, value in service["environment"].items()}
    secrets = {place: value for place, value in values.items() if _SECRET_NAME.search(place[1])}
    assert {key for _, key in secrets} == {"POSTGRES_PASSWORD", "PGPASSWORD", "COORDSTREAM_MASK_KEY"}
    assert all(_REQUIRED.fullmatch(value) for value in secrets.values())
    assert re.search(r"://[^\s/]*:[^\s/]*@", TEXT) is None


def test_only_ports_have_defaults() -> None:
    found = _VARIABLE.findall(TEXT)
    assert {name for name, kind, _, _ in found if kind == "-"} == {"KAFKA_PORT", "POSTGRES_PORT"}
    assert {kind for _, kind, _, _ in found} == {"?", "-"}


def test_ports_are_bound_to_loopback() -> None:
    ports = [port for service in SERVICES.values() for port in service.get("ports", [])]
    assert len(ports) == 2
    assert all(re.fullmatch(r"127\.0\.0\.1:\$\{[A-Z]+_PORT:-(\d+)\}:\1", port) for port in ports)


def test_each_service_waits_for_its_dependencies() -> None:
    waits = {
        (name, other): wait["condition"]
        for name, service in SERVICES.items()
        for other, wait in service.get("depends_on", {}).items()
    }
    assert waits == {
        ("migrate", "postgres"): "service_healthy",
        ("follow", "kafka"): "service_healthy",
        ("follow", "migrate"): "service_completed_successfully",
        ("spark-follow", "kafka"): "service_healthy",
        ("spark-follow", "migrate"): "service_completed_successfully",
    }
    assert SERVICES["migrate"]["restart"] == "no"
    assert all(("healthcheck" in service) is (name != "migrate") for name, service in SERVICES.items())


def test_every_volume_is_declared_and_persistent() -> None:
    mounted = dict(volume.split(":") for service in SERVICES.values() for volume in service.get("volumes", []))
    assert mounted == {"kafka": "/var/lib/kafka/data", "postgres": "/var/lib/postgresql"}
    assert set(COMPOSE["volumes"]) == set(mounted)
    assert SERVICES["kafka"]["environment"]["KAFKA_LOG_DIRS"] == mounted["kafka"]


@pytest.mark.parametrize("name", ["migrate", "follow", "spark-follow"])
def test_its_variables_are_settings(name: str) -> None:
    given = {key for key in SERVICES[name]["environment"] if key.startswith(ENV_PREFIX)}
    assert given == {f"{ENV_PREFIX}{setting.upper()}" for setting in Settings.model_fields} & given
    assert len(given) == 3


def test_kafka_is_reachable_at_its_listeners() -> None:
    kafka = SERVICES["kafka"]["environment"]
    inside = SERVICES["follow"]["environment"]["COORDSTREAM_KAFKA_BOOTSTRAP_SERVERS"]
    assert f"INSIDE://{inside}," in kafka["KAFKA_ADVERTISED_LISTENERS"]
    assert f"INSIDE://:{inside.partition(':')[2]}," in kafka["KAFKA_LISTENERS"]


@pytest.mark.parametrize(
    "words",
    [
        SERVICES["migrate"]["command"],
        SERVICES["follow"]["command"],
        SERVICES["spark-follow"]["command"],
        SERVICES["follow"]["healthcheck"]["test"][2:],
    ],
    ids=" ".join,
)
def test_its_commands_exist(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words, "--help"]) == 0
    assert capsys.readouterr().out.split()[:3] == ["Usage:", "coordstream", words[0]]
    assert main([*words, "--no-such-option"]) == 2


@pytest.mark.parametrize("name", ["follow", "spark-follow"])
def test_a_follower_is_healthy_before_there_are_jobs(cli: CommandLine, name: str) -> None:
    assert cli(*SERVICES[name]["healthcheck"]["test"][2:]).code == 0


def test_the_image_runs_as_an_unprivileged_user() -> None:
    lines = DOCKERFILE.splitlines()
    assert lines.index("USER coordstream") > lines.index("RUN useradd --create-home coordstream")
    assert {'ENTRYPOINT ["coordstream"]', 'CMD ["--help"]'} <= set(lines)
    assert [line for line in lines if line.startswith("USER")] == ["USER coordstream", "USER root", "USER coordstream"]
    assert SERVICES["follow"]["healthcheck"]["test"][:2] == ["CMD", "coordstream"]


def test_a_wheel_can_be_built_from_the_files_of_the_image(tmp_path: Path) -> None:
    lines = (CHECKOUT / ".dockerignore").read_text().splitlines()
    assert lines[1] == "*"
    for name in [line.removeprefix("!") for line in lines if line.startswith("!")]:
        source = CHECKOUT / name
        if source.is_dir():
            shutil.copytree(source, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, tmp_path / name)
    (install,) = re.findall(r"/bin/python -m (pip install) (--no-deps .*) \.$", DOCKERFILE, re.MULTILINE)
    command = [sys.executable, "-m", "pip", "wheel", *install[1].split(), "-w", str(tmp_path), "."]
    built = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    assert list(tmp_path.glob(f"coordstream-{VERSION}-*.whl"))


def test_the_follower_on_spark_is_optional_and_has_java() -> None:
    assert {name for name, service in SERVICES.items() if "profiles" in service} == {"spark-follow"}
    assert SERVICES["spark-follow"]["profiles"] == ["spark"]
    stage = DOCKERFILE.partition(f"AS {SERVICES['spark-follow']['build']['target']}\n")[2]
    assert "openjdk-17-jre-headless" in stage.partition("\nFROM ")[0]
    assert DOCKERFILE.endswith("\nFROM command\n")


def _has_shape(part: dict[str, Any], shape: dict[str, type | tuple[type, ...]]) -> None:
    assert part.keys() <= shape.keys()
    assert {name for name, value in part.items() if not isinstance(value, shape[name])} == set()


def _durations(service: dict[str, Any]) -> list[str]:
    check = service.get("healthcheck", {})
    found = [check.get(name) for name in ("interval", "timeout", "start_period")] + [service.get("stop_grace_period")]
    return [duration for duration in found if duration is not None]
