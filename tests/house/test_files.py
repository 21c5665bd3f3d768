"""Laws of the house that a machine can check."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import pytest

from inplace_tui.common.local_text import LocalText
from support.texts import MODULES, tables

ROOT = Path(__file__).parents[2]


@functools.cache
def texts(folder: str) -> dict[str, str]:
    """Return every Python file below a folder, by its path."""
    files = sorted((ROOT / folder).rglob("*.py"))
    return {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in files}


@pytest.mark.parametrize(
    "unwanted",
    [r"\b(?:TODO|FIXME|XXX)\b|raise NotImplementedError", r"[\"'](?:/root|/home|/work)/"],
)
def test_no_machine_path_and_no_unfinished_business_is_in_the_source(unwanted: str) -> None:
    found = {path: re.findall(unwanted, text) for path, text in texts("src").items()}

    assert {path: each for path, each in found.items() if each} == {}


def test_memory_is_read_by_address_in_one_file_of_each_house_that_needs_it() -> None:
    """The witness imports none of the worker's modules: it works without them."""
    reads = re.compile(r"from_address|string_at|PyObj_FromPtr|py_object")
    found = {path for path, text in texts("src").items() if reads.search(text)}

    witness, worker = "blame/checksums.py", "diagnosis/record/torch_memory.py"
    assert found == {f"src/inplace_tui/{each}" for each in (witness, worker)}


TABLES = [(f"{module}.{name}", table) for module in MODULES for name, table in tables(module)]


@pytest.mark.parametrize(("name", "table"), TABLES)
def test_every_text_that_is_an_attribute_is_used(name: str, table: dict[object, LocalText]) -> None:
    """A mapping is keyed by what data may choose; nothing but the code names an attribute."""
    module, named = name.split(".")
    is_class = named.endswith("Texts")
    code = "\n".join(texts("src/inplace_tui").values())
    unused = [key for key in table if is_class and f"{named}.{key}" not in code]

    assert unused == [], f"common/texts/{module}.py"


def test_the_tables_are_found() -> None:
    assert sum(len(table) for _, table in TABLES) > 1_000
