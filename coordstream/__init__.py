"""coordstream's command line, settings and embedded Postgres, and its public Python names.

The names are those that ``__init__.pyi`` imports. Each is imported when it is first used: a program, or a command,
loads only what it needs.
"""

from typing import Any


def _require_packages() -> None:
    """Raise ImportError if something else that Python finds hides one of the packages that are installed with us."""
    from importlib.util import find_spec  # noqa: PLC0415 (`dir` lists the public names)
    from pathlib import Path  # noqa: PLC0415

    for name in ("eventlog", "managers", "projections", "spark_jobs"):
        spec = find_spec(name)
        origin = Path(spec.origin) if spec and spec.origin else None
        if origin is None or origin.parent.parent != Path(__file__).parent.parent:
            raise ImportError(
                f"coordstream cannot use its package {name}: Python finds {origin or 'none'}. Rename that, or start "
                "Python where its folder is not on sys.path."
            )


_require_packages()


def __getattr__(name: str) -> Any:
    from importlib import import_module  # noqa: PLC0415 (commands do not need it)

    if name == "__version__":
        return import_module("importlib.metadata").version(__name__)
    if name == "_MODULES":
        globals()[name] = _read_modules()
        return globals()[name]
    if name == "__all__":
        return sorted(__getattr__("_MODULES"))
    module = None if name.startswith("__") else __getattr__("_MODULES").get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(module), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__getattr__("_MODULES"), "__version__"})


def _read_modules() -> dict[str, str]:
    """The module of each public name."""
    import ast  # noqa: PLC0415
    from importlib.resources import files  # noqa: PLC0415 (not Path: Spark imports us from a zip)

    stub = ast.parse(files(__name__).joinpath("__init__.pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: node.module or "" for node in imports for alias in node.names}
