"""Compiles the C files beside Python modules of the hot path, where that is wanted and possible.

A checkout (an editable install) compiles them in place. A wheel contains them if COORDSTREAM_COMPILE=1 is set when it
is built; otherwise it is pure Python and runs on every platform. They use Python's stable ABI, so one wheel of a
platform serves Python 3.11 and all later versions.
"""

import os
from hashlib import sha256
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGES = ("eventlog", "projections")
HEADER = Path("eventlog", "_compiled.h")
WARNINGS = ("-Wall", "-Wextra", "-Werror")
"""Of a checkout, where an error leaves slower imports. Another compiler's new warning must not prevent a wheel."""


class CompileHook(BuildHookInterface[Any]):
    """Compiles before the files of a wheel are collected."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile for an editable install, and add the results to a wheel that wants them."""
        is_editable = version == "editable"
        if self.target_name != "wheel" or os.environ.get("COORDSTREAM_COMPILE", str(int(is_editable))) != "1":
            return
        try:
            platform, compiled = compile_parts(Path(self.root), WARNINGS if is_editable else ())
        except (Exception, SystemExit) as error:  # a missing compiler or header, each reported in its own way
            if not is_editable:
                raise
            self.app.display_warning(f"Continuing without compiled parts, which make imports faster: {error}")
            return
        if not is_editable:
            build_data["pure_python"] = False
            build_data["tag"] = f"cp311-abi3-{platform}"
            build_data["force_include"] |= {str(Path(self.root, path)): path for path in compiled}


def compile_parts(root: Path, flags: tuple[str, ...]) -> tuple[str, list[str]]:
    """Compile in place. Return the platform and the files that were made.

    ``SOURCE`` in a part is the hash of its source: eventlog/compiled.py does not use a part of another source.
    """
    from setuptools import Distribution, Extension  # noqa: PLC0415  - other builds work without it

    for package in PACKAGES:
        for former in (root / package).rglob("_*.so"):
            former.unlink()  # else it would stay beside newer sources if they cannot be compiled
    sources = sorted(str(path.relative_to(root)) for package in PACKAGES for path in (root / package).rglob("_*.c"))
    extensions = [
        Extension(
            source.removesuffix(".c").replace(os.sep, "."),
            [source],
            define_macros=[("SOURCE", f'"{_hash(root, source)}"')],
            extra_compile_args=list(flags),
            py_limited_api=True,
        )
        for source in sources
    ]
    build = Distribution({"name": "coordstream", "ext_modules": extensions}).get_command_obj("build_ext")
    build.inplace = build.force = True
    build.build_temp = build.build_lib = str(Path("build", "compiled"))
    build.ensure_finalized()
    build.run()
    platform = build.plat_name.replace("-", "_").replace(".", "_")
    return platform, [build.get_ext_filename(extension.name) for extension in extensions]


def _hash(root: Path, source: str) -> str:
    return sha256((root / source).read_bytes() + (root / HEADER).read_bytes()).hexdigest()
