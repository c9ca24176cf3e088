"""Compiles the C files beside Python modules of the hot path, where that is wanted and possible.

A checkout (an editable install) gets them in place, a wheel contains them. Where they cannot be compiled, the build
says so, and the wheel is pure Python, which runs on every platform: with the environment variable COORDSTREAM_COMPILE=1
the build fails instead, and with 0 it does not try. They use Python's stable ABI, so one wheel of a platform serves
Python 3.11 and all later versions.
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
        """Compile, and add the results to a wheel."""
        wanted = os.environ.get("COORDSTREAM_COMPILE", "")
        if wanted not in ("", "0", "1"):
            raise ValueError(f"COORDSTREAM_COMPILE is {wanted!r}: expected 0 (do not compile) or 1 (fail if it fails).")
        if self.target_name != "wheel" or wanted == "0":
            return
        root = Path(self.root)
        is_editable = version == "editable"
        folder = root if is_editable else root / "build" / "compiled"
        try:
            platform, compiled = compile_parts(root, folder, WARNINGS if is_editable else ())
        except (Exception, SystemExit) as error:  # a missing compiler or header, each reported in its own way
            if wanted == "1":
                raise
            reason = f"Without compiled parts, so imports are slower ({type(error).__name__})."
            self.app.display_warning(f"{reason} Install a C compiler and Python's headers.")
            return
        if not is_editable:
            build_data["pure_python"] = False
            build_data["tag"] = f"cp311-abi3-{platform}"
            build_data["force_include"] |= {str(folder / path): path for path in compiled}


def compile_parts(root: Path, folder: Path, flags: tuple[str, ...]) -> tuple[str, list[str]]:
    """Compile into a folder with the same subfolders. Return the platform and the files that were made there.

    ``SOURCE`` in a part is the hash of its source: eventlog/compiled.py does not use a part of another source.
    """
    from setuptools import Distribution, Extension  # noqa: PLC0415  - other builds work without it

    for package in PACKAGES:
        for former in (folder / package).rglob("_*.so"):
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
    build.force = True
    build.build_temp, build.build_lib = str(Path("build", "objects")), str(folder)
    build.ensure_finalized()
    build.run()
    platform = build.plat_name.replace("-", "_").replace(".", "_")
    return platform, [build.get_ext_filename(extension.name) for extension in extensions]


def _hash(root: Path, source: str) -> str:
    return sha256((root / source).read_bytes() + (root / HEADER).read_bytes()).hexdigest()
