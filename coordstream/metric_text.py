"""Metrics in Prometheus' text format: a fleet has so many samples that prometheus_client takes seconds for them."""

from collections.abc import Iterable, Sequence

Sample = tuple[Sequence[str], float | None]
"""The values of the labels, and the value; None is unknown."""


def gauge(name: str, help_text: str, value: float) -> str:
    """A gauge without labels."""
    return metric(name, help_text, (), [((), value)])


def metric(name: str, help_text: str, labels: Sequence[str], samples: Iterable[Sample]) -> str:
    """A metric ``coordstream_<name>``: a counter if the name ends with ``_total``, else a gauge."""
    full, kind = f"coordstream_{name}", "counter" if name.endswith("_total") else "gauge"
    lines = [f"# HELP {full} {help_text}\n# TYPE {full} {kind}\n"]
    for values, number in samples:
        given = ",".join([f'{label}="{_escaped(value)}"' for label, value in zip(labels, values, strict=True)])
        lines.append(f"{full}{f'{{{given}}}' if labels else ''} {'NaN' if number is None else float(number)}\n")
    return "".join(lines)


def _escaped(label: str) -> str:
    return label.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
