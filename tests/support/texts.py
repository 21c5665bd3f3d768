"""Every text of the program, as the tests about texts need it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from pkgutil import iter_modules

from inplace_tui.common import texts
from inplace_tui.common.local_text import LocalText

MODULES = tuple(info.name for info in iter_modules(texts.__path__))


def tables(module: str) -> Iterator[tuple[str, dict[object, LocalText]]]:
    """Yield every class and every mapping of texts in a module of texts, with its name."""
    for name, value in vars(import_module(f"inplace_tui.common.texts.{module}")).items():
        table = vars(value) if isinstance(value, type) else value
        if isinstance(table, Mapping):
            found = {k: text for k, text in table.items() if isinstance(text, LocalText)}
            if found:
                yield name, found
