"""Collectives over gloo, in two processes: what they write, and whether that is counted."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Callable

from survey.cases import Row

SECONDS = 50


def tasks() -> dict[str, Callable[[], list[Row]]]:
    return {"collectives": _rows}


def _rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        meeting = Path(folder) / "meeting"
        pair = [
            subprocess.Popen(
                [sys.executable, "-m", "survey.pair", str(rank), str(meeting)],
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            for rank in range(2)
        ]
        try:
            said = [json.loads(each.communicate(timeout=SECONDS)[0]) for each in pair]
        finally:
            for each in pair:
                each.kill()
                each.wait()
    return [_row(name, [part[name] for part in said]) for name in said[0]]


def _row(name: str, said: list[dict[str, Any]]) -> Row:
    """Ranks may do different things: the one that sends writes nothing."""
    row: Row = {
        "name": f"distributed.{name}",
        "form": "collective",
        "of": name.split(" ", maxsplit=1)[0],
    }
    row["aliases"] = [f"dist.{name}", f"torch.distributed.{name}"]
    cases: list[Row] = []
    for rank, each in enumerate(said):
        if "untried" in each:
            continue
        same = next((case for case in cases if case["answer"] == each), None)
        if same is None:
            cases.append({"answer": each, "ranks": [rank]})
        else:
            same["ranks"].append(rank)
    if cases:
        row["cases"] = [{**case.pop("answer"), **case} for case in cases]
    else:
        row["untried"] = said[0]["untried"]
    return row
