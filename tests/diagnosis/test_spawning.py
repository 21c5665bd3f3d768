"""`mp.spawn` of one process ends in a run as it ends under Python."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from inplace_tui.common.run.outcome import Completed, Raised
from inplace_tui.common.run.program import Limits, Mode, Origin, Program
from inplace_tui.diagnosis.drive.runs import evidence
from inplace_tui.diagnosis.runner.worker import Worker

PROGRAM = """\
import sys
import torch.multiprocessing as mp
def work(rank, how):
    print("works", rank, flush=True)
    if how == "raise":
        raise ValueError("no", how)
    if how == "exit":
        sys.exit(3)
if __name__ == "__main__":
    try:
        mp.spawn(work, args=({how!r},), nprocs=1)
    except Exception as error:
        print(type(error).__name__, str(error).split("Traceback")[0].strip())
        print(str(error).strip().splitlines()[-1])
        raise
"""


def under_python(path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, path], capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize("how", ["", "raise", "exit"])
@pytest.mark.whole(every=3)
@pytest.mark.asyncio(loop_scope="session")
async def test_one_process_is_run_in_place_and_ends_alike(
    worker: Worker, tmp_path: Path, how: str
) -> None:
    path = tmp_path / "spawns.py"
    path.write_text(PROGRAM.format(how=how))
    bare = await asyncio.to_thread(under_python, path)

    program = Program(source=path.read_text(), filename=str(path), origin=Origin.OWN)
    found = await evidence(worker, program, Mode.BARE, Limits(seconds=60.0))

    outcome = found.outcome
    if how:
        assert isinstance(outcome, Raised)
        assert outcome.exception.rpartition(".")[2] in bare.stdout
        assert outcome.message.strip().splitlines()[-1] in bare.stdout
    else:
        assert isinstance(outcome, Completed)
        assert bare.returncode == 0
