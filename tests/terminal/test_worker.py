"""In a real terminal, what a worker that imports torch itself has a part in."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_tui.common.torch_line import torch_line
from inplace_tui.tutorial.progress import Progress
from support.terminal import Terminal

LESSON = ("lesson", "saved-output")
RECORDED = "? question ahead   step 0"


def test_the_first_frame_comes_before_torch(tmp_path: Path) -> None:
    Progress(tmp_path / "progress.json").save_introduced()
    with Terminal(home=tmp_path) as terminal:
        terminal.wait_for("Contents", "quit", "ready")

        # How long torch is seen loading depends on the machine; that it comes after does not.
        assert terminal.text.index("quit") < terminal.text.index("ready")


@pytest.mark.whole
def test_a_killed_worker_is_told_of_and_replaced(tmp_path: Path) -> None:
    with Terminal(*LESSON, home=tmp_path) as terminal:
        terminal.wait_for(RECORDED)
        terminal.forget()
        terminal.kill_worker()
        terminal.wait_for("The worker process died")
        terminal.type("n")
        terminal.wait_for("▸ 1")
        terminal.forget()
        terminal.type("R")
        terminal.wait_for(RECORDED)


def test_without_torch_the_line_that_installs_it_is_left_on_the_terminal(tmp_path: Path) -> None:
    missing = "raise ModuleNotFoundError(\"No module named 'torch'\", name='torch')\n"
    (tmp_path / "torch.py").write_text(missing)
    with Terminal(*LESSON, home=tmp_path, PYTHONPATH=str(tmp_path)) as terminal:
        terminal.wait_for("Programs can't run (when you leave, all of it is said): No module")
        terminal.forget()
        terminal.type("q")
        terminal.wait_for(f"No module named 'torch' ({torch_line()})")
        assert terminal.wait_for_end() == 0
