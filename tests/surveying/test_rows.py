"""Rows of the survey against programs that are written by hand."""

from __future__ import annotations

import functools
from typing import Any

import pytest
import torch

from support.survey_programs import PROGRAMS, Program, Seen, observe
from survey.__main__ import DATA
from survey.datafile import read

Case = dict[str, Any]


@functools.cache
def data() -> dict[str, Any]:
    rows = read(DATA / f"torch-{'.'.join(torch.__version__.split('.')[:2])}.json")["rows"]
    return {row["name"]: row for row in rows}


def differences(case: Case, program: Program, seen: Seen) -> list[str]:
    """What the case says and the program does not show, or the reverse."""
    kept = case.get("keeps", {}).get(program.grad, {})
    found = {name.split("[")[0] for name, code in kept.items() if code.startswith("raises")}
    writes = {name: count for name, (count, _) in case.get("writes", {}).items() if count}
    shares = any(":" in each for each in case["result"])
    node = case["node"]
    checks = {
        "keeps": found == seen.kept - _same_object(case, seen),
        "writes": writes == seen.counts,
        "shares": shares == seen.shares or "out" in seen.names,
        "node": seen.node in (node if isinstance(node, list) else [node]),
    }
    return [name for name, agrees in checks.items() if not agrees]


def _same_object(case: Case, seen: Seen) -> set[str]:
    """The row names an object once: `out` is the argument itself where it is handed back."""
    return {"out"} if any(each.startswith("same:") for each in case["result"]) else set()


@pytest.mark.filterwarnings("ignore::UserWarning")  # two of them are deprecated
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.row)
def test_a_program_written_by_hand_shows_what_the_row_says(program: Program) -> None:
    seen = observe(program)

    found = [differences(case, program, seen) for case in data()[program.row]["cases"]]

    assert [] in found, f"{seen}, {data()[program.row]['cases']}"
