"""From a failing project of two files to the mended and rerun file, on a real terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.terminal import Terminal

pytestmark = pytest.mark.usefixtures("warm_torch")

MAIN = """\
import torch
from model import model
w = torch.ones(2, requires_grad=True)
model(w).sum().backward()
print("grad", w.grad.tolist())
"""
MODEL = """\
def model(w):
    h = w.exp()
    h *= 2
    return h
"""
ON_DISK, BACK = "is on disk", "is taken back"


def project(folder: Path) -> tuple[Path, Path]:
    """Write it; return the file to start and the one at fault."""
    main, model = folder / "train.py", folder / "model.py"
    main.write_text(MAIN)
    model.write_text(MODEL)
    return main, model


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)], ids=str)
@pytest.mark.whole(every=3)
def test_one_key_leads_from_the_failure_to_the_mended_and_rerun_file(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    main, model = project(tmp_path)
    with Terminal(str(main), home=tmp_path, size=size) as terminal:
        terminal.wait_for("model.py", "needed v0", "write fix")
        terminal.forget()
        terminal.type("1")
        terminal.wait_for(ON_DISK, "its gradients are right")
        terminal.type("s")
        terminal.wait_for("Sandbox", "gradients right")

    ran = subprocess.run(
        [sys.executable, main], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert ran.stdout.startswith("grad [5.43")
    assert model.read_text() != MODEL
    assert (tmp_path / "model.py.orig").read_text() == MODEL
    assert main.read_text() == MAIN


@pytest.mark.parametrize("moment", ["found", "pressed", "written", "taken back"])
@pytest.mark.whole
def test_a_kill_loses_nothing_that_was_said_to_be_kept(tmp_path: Path, moment: str) -> None:
    main, model = project(tmp_path)
    with Terminal(str(main), home=tmp_path) as terminal:
        terminal.wait_for("write fix")
        if moment != "found":
            terminal.type("1")
        if moment in ("written", "taken back"):
            terminal.wait_for(ON_DISK)
        if moment == "taken back":
            terminal.type("u")
            terminal.wait_for(BACK)
        terminal.kill()

    kept = [path.read_text() for path in (model, tmp_path / "model.py.orig") if path.exists()]
    assert MODEL in kept
    assert "h *= 2" in model.read_text() or "return h" in model.read_text()
    if moment == "written":
        assert model.read_text() != MODEL
    if moment in ("found", "taken back"):
        assert model.read_text() == MODEL
    with Terminal(str(main), home=tmp_path) as again:
        again.wait_for("gradients are right" if model.read_text() != MODEL else "write fix")


@pytest.mark.whole
def test_a_file_that_changed_since_the_run_is_left_as_it_is(tmp_path: Path) -> None:
    main, model = project(tmp_path)
    with Terminal(str(main), home=tmp_path) as terminal:
        terminal.wait_for("write fix")
        edited = MODEL.replace("h *= 2", "h *= 3")
        model.write_text(edited)
        terminal.type("1")
        terminal.wait_for("changed since this run")

        assert model.read_text() == edited
        assert os.listdir(tmp_path).count("model.py.orig") == 0
        terminal.forget()
        terminal.type("r")
        terminal.wait_for("h *= 3", "write fix")
        terminal.type("1")
        terminal.wait_for(ON_DISK)
        assert (tmp_path / "model.py.orig").read_text() == edited
