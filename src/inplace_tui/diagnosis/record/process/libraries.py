"""Libraries that a program imports, and what their imports go by."""

from __future__ import annotations

import hashlib
import os
import re
import sys

from inplace_tui.blame.libraries import is_library


def imported_since(known: frozenset[str]) -> tuple[str, ...]:
    """Return the names of installed modules that were imported, in the order of their imports."""
    return tuple(
        name
        for name, module in list(sys.modules.items())
        if name not in known
        and getattr(getattr(module, "__spec__", None), "name", None) == name
        and isinstance(path := getattr(module, "__file__", None), str)
        and is_library(path)
    )


def surroundings() -> str:
    """Return a digest of what an import may go by: variables, import hooks, the working directory.

    A program that sets any of it before an import may get another library than we would.
    """
    hooks = [f"{type(each).__module__} {type(each).__qualname__}" for each in sys.meta_path]
    found = repr((sorted(os.environ.items()), hooks, os.getcwd()))
    return hashlib.sha256(found.encode(errors="surrogateescape")).hexdigest()


_USES = re.compile(
    r"optim|checkpoint|compile|deterministic|mutation_on_saved|DistributedData"
    r"|\b(?:func|library|vmap)\b",
    re.ASCII,
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
