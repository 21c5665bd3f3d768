"""Whether a program may need `torch._dynamo`, which torch imports late and in nearly a second."""

from __future__ import annotations

import re
import sys

_USES = re.compile(
    r"optim|checkpoint|compile|deterministic|mutation_on_saved|\bfunc\b|\bvmap\b", re.ASCII
)
_IMPORTS = re.compile(r"^[ \t]*(?:from|import)[ \t]+(\w+)", re.MULTILINE)
_KNOWN = sys.stdlib_module_names | {"torch", "numpy"}


def needs_late_imports(source: str) -> bool:
    """Whether a program may use what torch imports late.

    It may do so without these words; then its own process imports it, in the
    program's time. A module of the program's own may do anything.
    """
    if _USES.search(source):
        return True
    return any(name not in _KNOWN for name in _IMPORTS.findall(source))
