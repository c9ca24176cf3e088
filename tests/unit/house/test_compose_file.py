"""docker-compose.yml keeps the rules of ``docker compose config``, checked without Docker."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest
from ruamel.yaml import YAML

from tests.checkout import CHECKOUT

SECRETS: Final = {"POSTGRES_PASSWORD": "p", "COORDSTREAM_MASK_KEY": "k" * 32}
_VARIABLE: Final = re.compile(r"\$\{(\w+):([-?])([^}]*)\}")
_VOLUME: Final = re.compile(r"(\w[\w.-]*):/")
_STAGE: Final = re.compile(r"^FROM \S+ AS (\S+)$", re.MULTILINE)


def interpolated(node: Any, variables: dict[str, str]) -> Any:
    """The values of a file with each ``${NAME:-default}`` and ``${NAME:?message}`` replaced.

    Raises:
        ValueError: a variable without a value has a message.
    """

    def value(found: re.Match[str]) -> str:
        name, kind, rest = found.groups()
        if kind == "?" and not variables.get(name):
            raise ValueError(f"{name}: {rest}")
        return variables.get(name) or rest

    if isinstance(node, dict):
        return {key: interpolated(below, variables) for key, below in node.items()}
    if isinstance(node, list):
        return [interpolated(below, variables) for below in node]
    return _VARIABLE.sub(value, node) if isinstance(node, str) else node


def compose_file(**variables: str) -> dict[str, Any]:
    """The file after merges and interpolation."""
    loaded = YAML(typ="safe").load(CHECKOUT / "docker-compose.yml")
    found: dict[str, Any] = interpolated(loaded, variables)
    return found


def test_the_compose_specification_allows_the_file(tmp_path: Path) -> None:
    instance = tmp_path / "docker-compose.json"
    instance.write_text(json.dumps(compose_file(**SECRETS)))
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", str(instance)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", SECRETS)
def test_a_missing_secret_is_named(name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}: set it to"):
        compose_file(**SECRETS | {name: ""})


def test_everything_that_a_service_names_exists() -> None:
    found = compose_file(**SECRETS)
    services = found["services"]
    built = [service["image"] for service in services.values() if "build" in service]
    assert len(built) == len(set(built)) == 2
    stages = _STAGE.findall((CHECKOUT / "Dockerfile").read_text())
    for service in services.values():
        for name, needed in service.get("depends_on", {}).items():
            assert not services[name].get("profiles")
            assert needed["condition"] != "service_healthy" or "healthcheck" in services[name]
        volumes = filter(None, map(_VOLUME.match, service.get("volumes", [])))
        assert {volume[1] for volume in volumes} <= found["volumes"].keys()
        build = service.get("build", ".")
        assert build == "." or build["target"] in stages
