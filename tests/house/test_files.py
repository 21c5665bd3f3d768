"""Laws of the house that a machine can check."""

from __future__ import annotations

import importlib
import pkgutil
import re
import string
from pathlib import Path

import pytest

import inplace_tui.texts
from inplace_tui.model.lesson import LocalText

ROOT = Path(__file__).parents[2]


def texts(folder: str) -> dict[str, str]:
    """Return every Python file below a folder, by its path."""
    files = sorted((ROOT / folder).rglob("*.py"))
    return {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in files}


@pytest.mark.parametrize(
    "unwanted",
    [
        r"\b(?:TODO|FIXME|XXX)\b|raise NotImplementedError",
        r"[\"'](?:/root|/home|/work)/",
    ],
)
def test_no_machine_path_and_no_unfinished_business_is_in_the_source(unwanted: str) -> None:
    found = {path: re.findall(unwanted, text) for path, text in texts("src").items()}

    assert {path: each for path, each in found.items() if each} == {}


def tables() -> list[tuple[str, dict[str, LocalText]]]:
    """Return every table of texts, with the name of its module."""
    found = []
    for module in pkgutil.iter_modules(inplace_tui.texts.__path__):
        names = vars(importlib.import_module(f"inplace_tui.texts.{module.name}"))
        found += [
            (f"{module.name}.{name}", value)
            for name, value in names.items()
            if isinstance(value, dict)
            and value
            and all(isinstance(text, LocalText) for text in value.values())
        ]
    return found


def holes(text: str) -> set[str]:
    """Return the names of the `{holes}` of a format string."""
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize(("name", "table"), tables())
def test_both_languages_say_the_same_things(name: str, table: dict[str, LocalText]) -> None:
    for key, text in table.items():
        assert holes(text.en) == holes(text.zh), f"{name}[{key!r}]"
        assert text.en.strip(), f"{name}[{key!r}]"
        assert text.zh.strip(), f"{name}[{key!r}]"
