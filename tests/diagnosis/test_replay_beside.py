"""The replay beside the first run: it counts only where one after that run would say the same."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from inplace_tui.common.run.ending import Ending
from inplace_tui.common.run.program import Limits, Mode, Origin, Program
from inplace_tui.diagnosis.drive.beside import has_room
from inplace_tui.diagnosis.drive.explain import DIGESTS_ONLY, Options, explain
from inplace_tui.diagnosis.drive.runs import evidence
from inplace_tui.diagnosis.explain.explanation import Case
from inplace_tui.diagnosis.runner.worker import Worker
from support.processes import descendants

pytestmark = [
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.skipif(not has_room(), reason="there is one processor, or a GPU"),
]

LONG = """\
import time, torch
x = torch.ones(2, requires_grad=True)
y = x.exp()
time.sleep(0.3)
{write}
y.sum().backward()
"""

COUNTER = """\
import pathlib, time, torch
count = pathlib.Path({count!r})
n = int(count.read_text()) if count.exists() else 0
x = torch.ones(2, requires_grad=True)
time.sleep({before})
count.write_text(str(n + 1))
time.sleep({after})
(x * n).sum().backward()
"""


def own(source: str, folder: Path) -> Program:
    return Program(source=source, origin=Origin.OWN, folder=str(folder))


async def explained(worker: Worker, program: Program) -> tuple[Case, int]:
    """Explain a program; return how many processes there were at once, too."""
    assert worker.pid is not None
    explaining, most = asyncio.create_task(explain(worker, program, Options())), 0
    while not explaining.done():
        most = max(most, len(descendants(worker.pid)))
        await asyncio.sleep(0.01)
    return await explaining, most


async def test_a_fine_program_is_replayed_while_its_first_run_goes_on(
    worker: Worker, tmp_path: Path
) -> None:
    case, most = await explained(worker, own(LONG.format(write=""), tmp_path))

    assert (case.ending, case.runs) == (Ending.RIGHT, 2)
    assert most >= 4  # each with the keeper of its namespace


async def test_the_replay_ends_with_a_first_run_that_fails(worker: Worker, tmp_path: Path) -> None:
    case, most = await explained(worker, own(LONG.format(write="y.add_(1)"), tmp_path))

    assert most >= 4
    assert case.blame is not None
    assert case.fixes
    assert worker.pid is not None
    for _ in range(100):
        if not descendants(worker.pid):
            break
        await asyncio.sleep(0.05)
    assert not descendants(worker.pid)


@pytest.mark.parametrize(("before", "after"), [(0, 0.2), (0.2, 0)])
async def test_a_program_that_reads_what_it_wrote_is_judged_by_a_replay_after_it(
    worker: Worker, tmp_path: Path, before: float, after: float
) -> None:
    """Whether the replay beside it read the file before it was written or after."""
    source = COUNTER.format(count=str(tmp_path / "count"), before=before, after=after)

    case, _ = await explained(worker, own(source, tmp_path))

    assert case.ending is Ending.NOT_JUDGED
    assert (tmp_path / "count").read_text() == "1"


async def test_a_folder_that_the_first_run_made_is_no_difference(
    worker: Worker, tmp_path: Path
) -> None:
    source = f"import os\nos.mkdir({str(tmp_path / 'made')!r})\n{LONG.format(write='')}"

    case, _ = await explained(worker, own(source, tmp_path))

    assert case.ending is Ending.RIGHT
    assert os.listdir(tmp_path) == ["made"]


@pytest.mark.parametrize(
    ("does", "writes"),
    [
        ("open('old').read(); os.listdir('.')", False),
        ("tempfile.TemporaryFile().write(b'1')", False),
        ("open('new', 'w')", True),
        ("open('old', 'a').write('1')", True),
        ("os.remove('old')", True),
        ("os.rename('old', 'other')", True),
        ("os.mkdir('folder')", True),
        ("os.chmod('old', 0o600)", True),
        ("os.utime('old', (1, 1))", True),
        ("os.symlink('old', 'link')", True),
        ("torch.save(torch.ones(2), 'saved.pt')", True),
    ],
)
async def test_a_run_in_a_view_tells_whether_it_left_files_other_than_they_were(
    worker: Worker, tmp_path: Path, does: str, *, writes: bool
) -> None:
    (tmp_path / "old").write_text("0")
    program = own(f"import os, tempfile, torch\nos.chdir({str(tmp_path)!r})\n{does}\n", tmp_path)

    ran = await evidence(worker, program, Mode.CLONED, Limits(in_view=True), DIGESTS_ONLY)

    assert ran.wrote_files is writes
    assert os.listdir(tmp_path) == ["old"]
    assert (tmp_path / "old").read_text() == "0"
