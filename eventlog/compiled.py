"""The compiled parts of modules on the hot path. Each does the same as the Python code beside it, which remains.

They are built where there is a C compiler (`hatch_build.py`). With the environment variable
``COORDSTREAM_COMPILED=0`` they are not used.
"""

import logging
import os
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any, Final

COMPILED_PARTS: Final = (
    "eventlog.kafka._record_batch",
    "eventlog.postgres._copy_rows",
    "projections.fold._checkpoints",
)
_HEADER: Final = Path(__file__).with_name("_compiled.h")
_logger: Final = logging.getLogger(__name__)


def compiled_part(name: str) -> Any:
    """Return the module of this name; None if it was not built or is not wanted.

    One that cannot be loaded, or was compiled from another source than is beside it, is logged and not used.
    """
    if os.environ.get("COORDSTREAM_COMPILED") == "0":
        return None
    try:
        module = import_module(name)
    except ModuleNotFoundError:
        return None
    except ImportError as error:
        _logger.warning("%s is not used, which makes imports slower: %s. Run `make setup`.", name, error)
        return None
    source = Path(str(module.__file__)).with_name(f"{name.rpartition('.')[2]}.c")
    if not source.exists():  # in a wheel, all of whose files are of one version
        return module
    if getattr(module, "SOURCE", None) == sha256(source.read_bytes() + _HEADER.read_bytes()).hexdigest():
        return module
    _logger.warning("%s is not used, which makes imports slower: its source has changed. Run `make setup`.", name)
    return None


def is_compiled() -> bool:
    """Whether all of them are used."""
    return all(compiled_part(name) is not None for name in COMPILED_PARTS)
