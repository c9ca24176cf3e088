"""The golden vectors beside this file: bytes and answers made by Samza's own classes."""

import json
from base64 import b64decode
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent

TOTALS = {
    "changelog_offset": 10,
    "checkpoint_id": 10,
    "checkpoint_log_key": 12,
    "checkpoint_log_key_decode": 5,
    "checkpoint_topic_case": 15,
    "checkpoint_v1": 10,
    "checkpoint_v1_decode": 8,
    "checkpoint_v2": 10,
    "checkpoint_v2_decode": 6,
    "container_placement": 8,
    "coordinator_key": 28,
    "coordinator_message": 40,
    "coordinator_topic_case": 13,
    "coordinator_value_decode": 10,
    "drain": 2,
    "job_coordinator_metadata": 10,
    "job_metadata_change": 4,
    "job_model": 6,
    "job_model_decode": 4,
    "kafka_state_marker": 6,
    "legacy_message": 28,
    "legacy_ssp_string": 10,
    "legacy_stream_case": 11,
    "ssp_json": 6,
    "ssp_json_decode": 4,
    "ssp_string": 6,
    "startpoint": 16,
    "startpoint_fan_out": 6,
    "topic_name": 6,
}
"""How many vectors of each kind were given."""


def kinds() -> list[str]:
    """The kinds that there are files of."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def vectors(kind: str) -> list[dict[str, Any]]:
    """All vectors of a kind."""
    found: list[dict[str, Any]] = json.loads((FOLDER / f"{kind}.json").read_bytes())["vectors"]
    return found


def decoded(text: str | None) -> bytes | None:
    """Bytes of a ``*_b64`` field."""
    return None if text is None else b64decode(text)


def summary_line() -> str:
    """One line for the end of a test run: how many vectors of each kind were tried."""
    counts = {kind: len(vectors(kind)) for kind in kinds()}
    listed = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    return f"golden vectors: {sum(counts.values())} ({listed})"
