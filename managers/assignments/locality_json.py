"""The JSON of the containers' hosts, as Samza's LocalityServlet serves it (SamzaObjectMapper)."""

from collections.abc import Mapping
from typing import Any, Final

from eventlog.wire.jackson import dumps
from managers.assignments.locality_manager import ContainerLocality
from managers.job_models.jvm_order import java_map_order, text_hash, text_order

_LOCALITIES: Final = "processor-localities"


def localities_to_json(localities: Mapping[str, ContainerLocality]) -> bytes:
    """All containers, in the order of Java's map. URLs of JMX servers are empty: Samza's manager does not read them."""
    ids = java_map_order(sorted(localities, key=text_order), text_hash)
    return dumps({_LOCALITIES: {each: _fields(each, localities[each]) for each in ids}}, ascii_surrogates=True)


def locality_to_json(container_id: str, locality: ContainerLocality | None) -> bytes:
    """One container; without a known host, its host is empty."""
    return dumps(_fields(container_id, locality), ascii_surrogates=True)


def _fields(container_id: str, locality: ContainerLocality | None) -> dict[str, Any]:
    host = "" if locality is None else locality.host_name
    return {"id": container_id, "host": host, "jmx-url": "", "jmx-tunneling-url": ""}
