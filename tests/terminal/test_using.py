"""The program as it is used on a real terminal: values, completion, a pack, sizes, the mouse."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.packs import write_pack
from support.terminal import Terminal

pytestmark = pytest.mark.usefixtures("warm_torch")

STEP = """\
import torch
w = torch.arange(300.0).reshape(100, 3).requires_grad_()
loss = (w * 2).sum()
loss.backward()
with torch.no_grad():
    w -= w.grad
"""


def click(terminal: Terminal, column: int, row: int) -> None:
    """Press and release the left button there, counted from 1."""
    terminal.type(f"\x1b[<0;{column};{row}M\x1b[<0;{column};{row}m")


def test_a_tensor_is_opened_scrolled_and_compared_and_closed_by_a_click(tmp_path: Path) -> None:
    path = tmp_path / "step.py"
    path.write_text(STEP)
    with Terminal("sandbox", str(path), home=tmp_path) as terminal:
        terminal.wait_for("loss.backward()", "quit")
        terminal.type("\x12")
        terminal.wait_for("gradients right")
        terminal.type("1")
        terminal.wait_for("[100,3]")
        terminal.type("\x1b[Bt")
        terminal.wait_for("Values of w", "rows 0")
        terminal.type("\x1b[1;5F")
        terminal.wait_for("297", "w[99, 0] = 295.0")
        terminal.forget()
        terminal.type("m")
        terminal.wait_for("grad")
        terminal.forget()
        click(terminal, 3, 24)
        terminal.wait_for("Timeline")


@pytest.mark.whole
def test_tab_takes_what_is_proposed(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("weights_of_all = 1\n")
    with Terminal("sandbox", str(path), home=tmp_path) as terminal:
        terminal.wait_for("weights_of_all", "quit")
        terminal.type("\x1b[Bmore = wei")
        terminal.wait_for("more = wei")
        terminal.forget()
        terminal.type("g")
        terminal.wait_for("weights_of_all")  # the line with it is not drawn again
        terminal.type("\x1b[B\t + 1\x13")
        terminal.wait_for("Saved")

    assert path.read_text() == "weights_of_all = 1\nmore = weights_of_all + 1"


@pytest.mark.whole
def test_a_program_on_standard_input_leaves_the_keys_to_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "step.py"
    path.write_text(f"import sys\nassert sys.argv[1:] == ['--steps', '1'], sys.argv\n{STEP}")
    with Terminal("sandbox", "-", "--steps", "1", home=tmp_path, given=path) as terminal:
        terminal.wait_for("loss.backward()", "quit")
        terminal.type("\x12")
        terminal.wait_for("gradients right")
        terminal.type("q")
        assert terminal.wait_for_end() == 0


@pytest.mark.whole
def test_a_pack_runs_after_a_yes_and_not_after_a_no(tmp_path: Path) -> None:
    write_pack(tmp_path / "packs" / "theirs", "new-idea", "Theirs")
    for answer, then in (("\x1b", "I have this error"), ("1", "question ahead")):
        with Terminal("lesson", "new-idea", home=tmp_path) as terminal:
            terminal.wait_for("trust it", "go back")
            assert "question ahead" not in terminal.text
            terminal.forget()
            terminal.type(answer)
            terminal.wait_for(then)


@pytest.mark.whole
def test_a_storm_of_sizes_loses_nothing_that_was_typed(tmp_path: Path) -> None:
    path = tmp_path / "loop.py"
    path.write_text("n = 0\nwhile True:\n    n += 1\n")
    storm = [(40, 10), (1, 1), (200, 60), (2, 50), (80, 24), (200, 1)]
    with Terminal("sandbox", str(path), home=tmp_path) as terminal:
        terminal.wait_for("while True", "quit")
        terminal.type("typed = ")
        for size in storm:
            terminal.resize(*size)
        terminal.type("1\r\x12")  # the rest of the line, and run it
        for size in [*storm, (80, 24)]:
            terminal.resize(*size)
        terminal.forget()
        terminal.wait_for("typed = 1", "running")
        terminal.type("\x13")
        terminal.wait_for("Saved")
        terminal.type("\x11")

        assert terminal.wait_for_end() == 0
        assert "Traceback" not in terminal.text
    assert path.read_text() == "typed = 1\nn = 0\nwhile True:\n    n += 1\n"
