"""Where the project is."""

from pathlib import Path
from typing import Final

CHECKOUT: Final = Path(__file__).parents[1]
