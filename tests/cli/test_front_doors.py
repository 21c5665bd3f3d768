"""One fault, in a model of a package, however the program is started: its lines, its fix."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.command import COMMAND, Command, run_command
from support.package import IN_CELLS, TEST, notebook, write_package

pytestmark = pytest.mark.usefixtures("warm_torch")

NET = "proj/models/net.py"
SAVED, WRITTEN, NEEDED = (NET, 11), (NET, 12), ("proj/engine.py", 12)
FIX = (NET, "-        h *= 2\n+        h = h * 2")

SCRIPT = """\
import sys
from proj.data import batches
from proj.engine import Trainer
from proj.models.net import Net
assert sys.argv == ["-", "--epochs", "3"], sys.argv
Trainer(Net(4)).fit(batches())
"""
READS = """\
import sys
from proj.data import batches
from proj.engine import Trainer
from proj.models.net import Net
assert [*sys.stdin] == ["some\\n", "data\\n"]
Trainer(Net(4)).fit(batches())
"""


DISTRIBUTED = """\
import os, sys
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from proj.data import batches
from proj.engine import Trainer
from proj.models.net import Net
dist.init_process_group("gloo")
assert (dist.get_rank(), dist.get_world_size(), sys.argv[1:]) == (0, 1, ["--lr", "1"])
Trainer(DistributedDataParallel(Net(4))).fit(batches())
"""
SPAWNS = """\
import torch.multiprocessing as mp
from proj.data import batches
from proj.engine import Trainer
from proj.models.net import Net

def work(rank, width):
    Trainer(Net(width)).fit(batches())

if __name__ == "__main__":
    mp.spawn(work, args=(4,), nprocs=1)
"""


IMPORTS = notebook(
    (1, "from proj.data import batches\nfrom proj.engine import Trainer"),
    (2, "from proj.models.net import Net\nTrainer(Net(4)).fit(batches())"),
)


@dataclass(frozen=True)
class Way:
    """A way to start it."""

    arguments: tuple[str, ...]
    stdin: str = ""
    saved: tuple[str, int] = SAVED
    written: tuple[str, int] = WRITTEN
    fix: tuple[str, str] = FIX


WAYS = {
    "module": Way(("-m", "proj.train", "--epochs", "3")),
    "pytest": Way(("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_model.py", "-k", "fit")),
    "program on stdin": Way(("-", "--epochs", "3"), SCRIPT),
    "data on stdin": Way(("reads.py",), "some\ndata\n"),
    "torchrun": Way(
        ("-m", "torch.distributed.run", "--nproc_per_node=1", "distributed.py", "--lr", "1")
    ),
    "spawn": Way(("spawns.py",)),
    "notebook": Way(("imports.ipynb",)),
    "model in a notebook": Way(
        ("cells.ipynb",), saved=("In [4]", 11), written=("In [4]", 12), fix=("In [4]", FIX[1])
    ),
}


def explained(folder: Path, way: Way, *more: str) -> subprocess.CompletedProcess[str]:
    return started(folder, way.stdin, "explain", *more, *way.arguments)


def started(folder: Path, typed: str, *words: str) -> subprocess.CompletedProcess[str]:
    write_package(folder)
    (folder / "test_model.py").write_text(TEST)
    (folder / "reads.py").write_text(READS)
    (folder / "distributed.py").write_text(DISTRIBUTED)
    (folder / "spawns.py").write_text(SPAWNS)
    (folder / "cells.ipynb").write_text(IN_CELLS)
    (folder / "imports.ipynb").write_text(IMPORTS)
    return run_command(folder, COMMAND, *words, home=folder / "home", typed=typed)


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.whole
def test_saver_writer_reader_and_fix_are_named_with_their_files(tmp_path: Path, way: Way) -> None:
    done = explained(tmp_path, way, "--json")

    assert done.returncode == 1, done.stderr
    assert "replay/gradients.py" not in done.stderr
    found = json.loads(done.stdout)
    (culprit,) = found["culprits"]
    places = [(each["file"], each["line"]) for each in (found["victim"], culprit, found["error"])]
    assert places == [way.saved, way.written, NEEDED]
    file, change = way.fix
    assert found["fixes"][0]["file"] == file
    assert found["fixes"][0]["diff"].startswith(f"--- {file}\n+++ {file}\n")
    assert change in found["fixes"][0]["diff"]


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.whole
def test_the_page_says_so_too(tmp_path: Path, way: Way) -> None:
    done = explained(tmp_path, way)

    page = " ".join(done.stdout.split())
    saved, written, needed = (f"{file}:{line}" for file, line in (way.saved, way.written, NEEDED))
    line = "" if saved.startswith("In [") else "Line "  # a cell's place is enough
    assert f"{line}{saved} `h = torch.sigmoid(self.one(x))` saved h at version 0" in page
    assert f"{line}{written} `h *= 2` changed it to version 1" in page
    assert f"backward on line {needed} needed version 0" in page
    assert f"--- {way.fix[0]} +++ {way.fix[0]}" in page
    assert "- h *= 2 + h = h * 2" in page


@pytest.mark.parametrize("name", ["pytest", "program on stdin", "torchrun", "notebook"])
@pytest.mark.whole
def test_it_is_stepped_through_as_lines_of_text(tmp_path: Path, name: str) -> None:
    way = WAYS[name]
    typed = way.stdin or "end\nwhy\n"
    done = started(tmp_path, typed, "sandbox", *way.arguments)

    assert done.returncode == 0, done.stderr
    if way.stdin:  # it leaves nothing to type
        assert "Nothing has run yet." in done.stdout
        assert "Trainer(Net(4)).fit(batches())" in done.stdout
        return
    page = " ".join(done.stdout.split())
    saved, written, needed = (f"{file}:{line}" for file, line in (way.saved, way.written, NEEDED))
    assert f"Line {saved} h = torch.sigmoid(self.one(x)) saved h at version 0" in page
    assert f"Line {written} h *= 2 changed it to version 1" in page
    assert f"backward on line {needed} needed version 0" in page


@pytest.mark.whole
def test_a_fix_of_a_cell_is_written_into_the_notebook(tmp_path: Path) -> None:
    done = explained(tmp_path, WAYS["model in a notebook"], "--apply")

    assert done.returncode == 0, done.stderr
    assert "of IPython's lines, these are left out: In [1]:3 !pip install torch" in done.stderr
    after = (tmp_path / "cells.ipynb").read_text()
    assert after == IN_CELLS.replace("h *= 2", "h = h * 2")
    assert (tmp_path / "cells.ipynb.orig").read_text() == IN_CELLS


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("{", "no notebook: it is not JSON"),
        ("{}", "no notebook of format 3 or 4"),
        (notebook((1, "  \n")), "it has no code cell"),
    ],
)
@pytest.mark.whole(every=3)
def test_what_is_no_notebook_is_not_run(tmp_path: Path, content: str, why: str) -> None:
    (tmp_path / "bad.ipynb").write_text(content)
    done = run_command(
        tmp_path, COMMAND, "explain", "bad.ipynb", home=tmp_path / "home", seconds=60
    )

    assert done.returncode == 2
    assert f"bad.ipynb can't be read: {why}" in done.stderr


def test_more_than_one_process_is_refused(command: Command) -> None:
    done = command("explain", "-m", "torch.distributed.run", "--nproc-per-node", "2", "train.py")

    assert done.returncode == 2
    assert "explain looks into one process, and --nproc-per-node 2 asks for others" in done.stderr
