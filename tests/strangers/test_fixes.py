"""A faulty program gets a fix that was run, unless its row says that none is found.

`make strangers` explains all of them, as `explain` does, and says what was offered first.
"""

from __future__ import annotations

import os
import sys

import pytest

from inplace_tui.common.run.outcome import Wrong
from inplace_tui.common.run.program import Origin, Program
from inplace_tui.diagnosis.drive.explain import Options, explain
from inplace_tui.diagnosis.runner.worker import Worker
from strangers.test_strangers import HERE, ROWS, Row, named

pytestmark = pytest.mark.asyncio(loop_scope="session")

SAMPLE = ("gru-states-squeezed", "replay-with-two-backward-passes")
ALL = os.environ.get("STRANGERS") == "all"


@pytest.mark.parametrize("row", [row for row in ROWS if ALL or row.name in SAMPLE], ids=named)
async def test_a_faulty_program_gets_a_fix_and_a_right_one_none(worker: Worker, row: Row) -> None:
    folder = HERE / row.name
    source = (folder / "main.py").read_text()
    program = Program(source=source, origin=Origin.OWN, filename="main.py", folder=str(folder))

    case = await explain(worker, program, Options(budget=240.0))

    sys.stdout.write(f"{row.name}: {case.fixes[0].title.en if case.fixes else '-'}\n")
    assert bool(case.fixes) is (row.fails != "none" and not row.missed)
    assert row.fails != "none" or not isinstance(case.truth, Wrong)
