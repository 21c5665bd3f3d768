"""Tables of cases that are YAML files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # wheels have it, some builds don't


def read_table(path: Path) -> Any:  # who asks knows what is in it
    """Read a file with libyaml: without, the tables were a quarter of what collecting costs."""
    return yaml.load(path.read_text(encoding="utf-8"), _LOADER)  # a safe one
