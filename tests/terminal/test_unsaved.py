"""What was typed is there again after every end that nobody chose."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from support.patience import PATIENCE
from support.rights import Outside
from support.terminal import Terminal

pytestmark = pytest.mark.usefixtures("warm_torch")


MAIN = """\
import torch
from model import model
w = torch.ones(2, requires_grad=True)
model(w).sum().backward()
"""
MODEL = """\
def model(w):
    h = w.exp()
    h *= 2
    return h
"""


def wait_for_copy(home: Path, text: str) -> None:
    """Wait until a copy has this text.

    Raises:
        TimeoutError: none has, long after it should.
    """
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if any(text in copy.read_text() for copy in (home / "unsaved").glob("*.py")):
            return
        time.sleep(0.02)
    raise TimeoutError(text)


def at_once(text: str) -> str:
    """Return what a paste sends: of letters it is not seen which of them have been taken."""
    return f"\x1b[200~{text}\x1b[201~"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGHUP, signal.SIGTERM])
@pytest.mark.whole(every=3)
def test_what_was_typed_survives_the_death_of_the_program(
    tmp_path: Path, number: signal.Signals
) -> None:
    path = tmp_path / "mine.py"
    path.write_text("saved = 1\n")
    with Terminal("sandbox", str(path), home=tmp_path) as terminal:
        terminal.wait_for("saved = 1", "quit")
        terminal.type(at_once("typed = 2\n"))
        terminal.wait_for("typed = 2", "not saved")
        if number is signal.SIGKILL:  # the others let it write the copy themselves
            wait_for_copy(tmp_path, "typed = 2")
        os.kill(terminal.pid, number)
        code = terminal.wait_for_end()

        assert code in (-number, 128 + number)
        if number is not signal.SIGKILL:
            assert terminal.modes() == terminal.before
    wait_for_copy(tmp_path, "typed = 2")  # a whole one: what becomes of it is seen once
    assert path.read_text() == "saved = 1\n"
    if number is signal.SIGKILL:
        with Terminal("sandbox", str(path), home=tmp_path) as again:
            again.wait_for("typed = 2", "never saved")

            assert path.read_text() == "saved = 1\n"


@pytest.mark.whole
def test_a_fix_of_another_file_survives_kill_9_and_is_saved(tmp_path: Path) -> None:
    main, model = tmp_path / "main.py", tmp_path / "model.py"
    main.write_text(MAIN)
    model.write_text(MODEL)
    with Terminal("sandbox", str(main), home=tmp_path, size=(80, 24)) as terminal:
        terminal.wait_for("model(w)", "quit")
        terminal.type("\x12")
        terminal.wait_for("Compute a new h")
        terminal.type("x")
        terminal.wait_for("What to write instead")
        terminal.type("1")
        terminal.wait_for("* model.py not saved", "gradients right")
        terminal.type("\x11")
        terminal.wait_for("changes that are not saved: model.py")
        os.kill(terminal.pid, signal.SIGKILL)
        terminal.wait_for_end()
    assert model.read_text() == MODEL
    with Terminal("sandbox", str(main), home=tmp_path, size=(80, 24)) as again:
        again.wait_for("here again: model.py")
        again.type("\x13")
        again.wait_for("Saved to", "model.py")

    assert model.read_text() == MODEL.replace("h *= 2", "h = h * 2")
    assert main.read_text() == MAIN
    assert not [*(tmp_path / "unsaved").glob("*.py")]


@pytest.mark.whole
def test_a_copy_of_a_pack_that_outlived_kill_9_is_still_confined(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Outside(tmp_path / "outside") as outside:
        outside.write_lessons(home / "packs" / "theirs", "pack")
        with Terminal("--trust", "lesson", "pack-fault", home=home) as terminal:
            terminal.wait_for("step 0")
            terminal.type("e")
            terminal.wait_for("not yet a file")
            terminal.type("i" + at_once("# typed\n"))
            wait_for_copy(home, "# typed")
            os.kill(terminal.pid, signal.SIGKILL)
            terminal.wait_for_end()
        with Terminal("--trust", "sandbox", home=home) as again:
            again.wait_for("# typed")
            again.forget()
            again.type("\x12")
            again.wait_for("RuntimeError")

        assert outside.reached() == (0, 0)


@pytest.mark.whole
def test_a_closed_terminal_loses_nothing(tmp_path: Path) -> None:
    with Terminal("sandbox", home=tmp_path, controls=True) as terminal:
        terminal.wait_for("not yet a file")
        terminal.type(at_once("precious = 1"))
        terminal.wait_for("precious = 1", "not saved")
        terminal.hang_up()
        terminal.wait_for_end()
    with Terminal("sandbox", home=tmp_path) as again:
        again.wait_for("precious = 1", "never saved")


@pytest.mark.whole
def test_a_terminal_that_goes_without_a_signal_takes_the_program_along(tmp_path: Path) -> None:
    """Nobody read what was drawn, so that drawing waits: the loop hears of nothing any more."""
    with Terminal("sandbox", home=tmp_path) as terminal:
        terminal.wait_for("not yet a file")
        terminal.type(at_once("precious = 1"))
        terminal.wait_for("precious = 1", "not saved")
        for width in range(80, 140):
            terminal.resize(width, 40)
            time.sleep(0.02)
        terminal.hang_up()

        assert terminal.wait_for_end() == 128 + signal.SIGHUP
    with Terminal("sandbox", home=tmp_path) as again:
        again.wait_for("precious = 1", "never saved")
