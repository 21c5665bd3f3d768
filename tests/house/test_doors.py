"""The tutorial enters the diagnosis by few modules, and few of their names."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from house.test_circles import source_files

DOORS = {
    # Runs.
    "drive.runs", "drive.own_files", "drive.paused_run", "runner.worker", "runner.process",
    "runner.interpreter", "protocol.messages",
    # Who did it.
    "blame.find_blame", "blame.classify", "blame.backward_progress", "blame.truth",
    # What mends it, and what is said of it.
    "drive.fixes", "drive.patches", "drive.explain", "fixes.rows", "explain.rows",
    "explain.explanation", "explain.findings", "explain.report", "explain.message",
    "explain.pasted",
}  # fmt: skip
"""Modules of `diagnosis/` that somebody outside of it imports."""

MOST_NAMES = 75


def entered() -> dict[str, set[str]]:
    """Return the modules of the diagnosis that are imported from elsewhere, with their names."""
    files = source_files()
    found: dict[str, set[str]] = {}
    for module, text in files.items():
        if module.startswith(("inplace_tui.diagnosis", "inplace_tui.blame")):
            continue
        for name in _imported(ast.parse(text)):
            where, _, what = (name, "", "*") if name in files else name.rpartition(".")
            if where.startswith("inplace_tui.diagnosis."):
                found.setdefault(where.removeprefix("inplace_tui.diagnosis."), set()).add(what)
    return found


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{each.name}" for each in node.names)
        elif isinstance(node, ast.Import):
            yield from (each.name for each in node.names)


def test_the_diagnosis_is_entered_by_its_doors() -> None:
    found = entered()

    assert set(found) == DOORS
    assert sum(map(len, found.values())) <= MOST_NAMES, found
