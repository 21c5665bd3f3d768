"""The tutorial enters the diagnosis by few modules, and few of their names."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from house.test_circles import source_files
from support.parsed import parsed

DOORS = {
    # To run something, and take it up to a line.
    "drive.runs": {
        "WorkerRefusedError", "compared", "evidence", "record", "replay_limits", "run_and_verify",
        "torch_names", "verify", "warm_worker",
    },
    "runner.worker": {"RequestSender", "Worker"},
    "runner.process": {"BegunProcess", "begin", "module"},
    "protocol.messages": {
        "*", "BackwardRan", "Closed", "LineRecorded", "Loading", "ProgramEnded", "ProgramStarted",
        "ProgramWrote", "Ready", "Refused", "Report", "Starting", "State", "TensorFound",
    },
    # Who did it, and what is right.
    "blame.find_blame": {"find_blame"},
    "blame.classify": {"caught_error", "verdict_of_run"},
    "blame.backward_progress": {"BackwardProgress", "LastBackward", "NO_PROGRESS"},
    # What mends it, and how both are said.
    "fixes.rows": {"*", "facts", "page"},
    "explain.rows": {"*", "explanation"},
    # A program of somebody's own, from its first run to the mended files.
    "drive.investigation": {"FixTrials", "Investigation"},
    "explain.report": {"Annotation", "ExplanationPage", "of_run"},
    # Its own command, which the command line calls.
    "commands.explain": {"*", "DOCUMENTS", "explain_command"},
}  # fmt: skip
"""Modules of `diagnosis/` that somebody outside of it imports, with what they import of them."""


MOST_DOORS, MOST_NAMES = 12, 120


def entered() -> dict[str, set[str]]:
    """Return the modules of the diagnosis that are imported from elsewhere, with their names."""
    files = source_files()
    found: dict[str, set[str]] = {}
    for module, text in files.items():
        if module.startswith(("inplace_tui.diagnosis", "inplace_tui.blame")):
            continue
        for name in _imported(parsed(text)):
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
        elif isinstance(node, ast.Constant) and isinstance(
            node.value, str
        ):  # a lazy module is named by a string
            yield from (node.value, f"inplace_tui.{node.value}")


def test_the_diagnosis_is_entered_by_its_doors() -> None:
    found = entered()

    assert found == DOORS
    assert len(DOORS) <= MOST_DOORS
    assert sum(map(len, DOORS.values())) <= MOST_NAMES
