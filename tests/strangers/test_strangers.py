"""Each stranger's program ends bare as its row says, and runs to the end after the thread's fix.

No engine is asked: only Python and torch, all programs in this one process.
"""

import importlib
import runpy
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Row:
    """A program, as the table tells of it."""

    name: str
    thread: str
    what: str
    fails: str
    fix: str
    files: list[str]
    witness: str | None = None
    missed: bool = False
    """No fix is found for it today, as `test_fixes` says."""

    @property
    def raises(self) -> bool:
        return self.fails not in ("silent", "none")


ROWS = [Row(**row) for row in yaml.safe_load((HERE / "strangers.yaml").read_text())]
FAULTY = [row for row in ROWS if row.fails != "none"]


def named(row: Row) -> str:
    return row.name


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """A program finds its own files first, and leaves nothing behind."""
    before, path, bytecode = set(sys.modules), list(sys.path), sys.dont_write_bytecode
    dtype = torch.get_default_dtype()
    sys.path.insert(0, str(folder))
    sys.dont_write_bytecode = True
    importlib.invalidate_caches()
    try:
        with warnings.catch_warnings(), torch.random.fork_rng():
            warnings.simplefilter("ignore")
            yield
    finally:
        sys.path[:], sys.dont_write_bytecode = path, bytecode
        for name in set(sys.modules) - before:
            if str(getattr(sys.modules[name], "__file__", None) or "").startswith(str(HERE)):
                del sys.modules[name]
        torch.set_grad_enabled(True)
        torch.set_default_dtype(dtype)


def run(folder: Path) -> dict[str, Any]:
    with alone(folder):
        return runpy.run_path(str(folder / "main.py"), run_name="__main__")


def ending(folder: Path) -> str:
    try:
        run(folder)
    except Exception as error:  # noqa: BLE001 - any end is compared
        return f"{type(error).__name__}: {error}"
    return ""


def same(one: object, other: object) -> bool:
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        return bool(torch.allclose(one, other))
    return one is None and other is None


@pytest.mark.parametrize("row", ROWS, ids=named)
@pytest.mark.whole(every=10)
def test_a_program_ends_as_its_row_says(row: Row) -> None:
    end = ending(HERE / row.name)
    assert end.startswith(row.fails) if row.raises else not end


@pytest.mark.parametrize("row", FAULTY, ids=named)
@pytest.mark.whole(every=10)
def test_the_fixed_program_runs_to_the_end(row: Row) -> None:
    assert not ending(HERE / row.name / "fixed")


@pytest.mark.parametrize("row", [row for row in ROWS if row.fails == "silent"], ids=named)
@pytest.mark.whole
def test_what_a_silent_program_computes_is_another_thing_once_fixed(row: Row) -> None:
    assert row.witness
    one, other = run(HERE / row.name), run(HERE / row.name / "fixed")
    assert not same(one[row.witness], other[row.witness])


def test_the_table_and_the_folders_are_the_same() -> None:
    folders = {path.name for path in HERE.iterdir() if path.is_dir()} - {"__pycache__"}
    assert folders == {row.name for row in ROWS}
    assert len({row.thread for row in ROWS}) == len(ROWS)
    for row in ROWS:
        for folder in [HERE / row.name, *([HERE / row.name / "fixed"] if row in FAULTY else [])]:
            there = {str(path.relative_to(folder)) for path in folder.rglob("*.py")}
            assert {name for name in there if not name.startswith("fixed/")} == set(row.files)
