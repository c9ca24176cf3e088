"""The compiled parts of five modules on the hot path. Each does the same as the Python code beside it, which remains.

``make setup`` builds them where there is a C compiler (`hatch_build.py`). With the environment variable
``COORDSTREAM_COMPILED=0`` they are not used.
"""

import os
from contextlib import suppress
from importlib import import_module
from typing import Any, Final

COMPILED_PARTS: Final = (
    "eventlog.kafka._record_batch",
    "eventlog.postgres._copy_rows",
    "projections.fold._batch",
    "projections.fold._checkpoint_batch",
    "projections.fold._checkpoint_template",
)


def compiled_part(name: str) -> Any:
    """Return the module of this name; None if it was not built, or is not wanted."""
    if os.environ.get("COORDSTREAM_COMPILED") != "0":
        with suppress(ImportError):
            return import_module(name)
    return None
