"""The program in a real terminal: what is drawn when, what keys arrive, how it ends."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from inplace_tui.tutorial.progress import Progress
from support.terminal import Terminal

pytestmark = pytest.mark.usefixtures("warm_torch")

LESSON = ("lesson", "saved-output")
ATTRIBUTES = range(10)
"""The codes that set no colour; 30 to 49 and 90 to 107 do."""

RECORDED = "? question ahead   step 0"


@pytest.mark.parametrize("key", ["q", "\x11", "ｑ"], ids=["q", "ctrl-q", "full-width q"])
@pytest.mark.whole(every=3)
def test_quitting_leaves_the_terminal_as_it_was(tmp_path: Path, key: str) -> None:
    with Terminal(home=tmp_path) as terminal:
        terminal.wait_for("Contents", "quit")
        terminal.type(key)
        code = terminal.wait_for_end()

        assert code == 0
        assert terminal.modes() == terminal.before
        for switched_off in ("\x1b[?1049l", "\x1b[?25h", "\x1b[?1000l", "\x1b[?2004l"):
            assert switched_off in terminal.sent
        assert "Traceback" not in terminal.text


@pytest.mark.whole
def test_who_quits_while_the_course_is_still_read_leaves_in_order(tmp_path: Path) -> None:
    with Terminal(*LESSON, home=tmp_path) as terminal:
        terminal.wait_for(RECORDED)
        terminal.type("q")
        code = terminal.wait_for_end()

        assert code == 0
        assert "Traceback" not in terminal.text


def test_a_lesson_is_played_answered_left_and_resumed(tmp_path: Path) -> None:
    with Terminal(*LESSON, home=tmp_path) as terminal:
        terminal.wait_for(RECORDED)
        terminal.type("c")
        terminal.wait_for("? 5  y.sum().backward()", "add_ wrote into the memory of y")
        terminal.type("n")
        terminal.wait_for("a–d or ↑↓ mark")
        terminal.type("a\r")
        terminal.wait_for("One more try")
        terminal.type("d\r")
        terminal.wait_for("RuntimeError in backward", "changed here", "saved here")
        terminal.type("q")
        terminal.wait_for_end()
    with Terminal("list", home=tmp_path) as again:
        again.wait_for_end()

        [line] = [line for line in again.text.splitlines() if "saved-output" in line]
        assert "✓" in line


STEPS = (("\u3000", "step 2"), ("Ｎ", "step 1"))
"""A full-width space steps on, a full-width N back."""


def draws(terminal: Terminal, key: str, until: str) -> str:
    """Press a key and return what it draws: what changes alone, never a cleared screen."""
    terminal.forget()
    terminal.type(key)
    terminal.wait_for(until)
    assert "\x1b[2J" not in terminal.sent  # what flickers
    return terminal.text


@pytest.mark.whole
def test_full_width_keys_step_and_open_help_at_every_size(tmp_path: Path) -> None:
    with Terminal(*LESSON, home=tmp_path, size=(200, 60)) as terminal:
        terminal.wait_for(RECORDED)
        for size in [(40, 10), (120, 40), (46, 20), (80, 24)]:
            terminal.forget()
            terminal.resize(*size)
            terminal.wait_for("y = x.exp()", "quit")
        terminal.type("ｎ")
        terminal.wait_for("▸ 1", "step 1")
        # A size is drawn more than once, the last time when a busy machine gets to it; a step
        # that draws the row of keys again does so each time.
        drawn = [draws(terminal, *step) for step in STEPS * 3]
        assert any("? help" not in text for text in drawn), drawn
        terminal.forget()
        terminal.type("？")
        terminal.wait_for("Keys that work here")


@pytest.mark.parametrize(
    ("arguments", "keys", "until"),
    [
        ((), "\r\r\rln", "until y.add_(1) has run"),
        (("lesson", "leaves"), "nn", "The table has a row for every tensor."),
        (("--lang", "en"), "cnn", "asks PyTorch for the gradient"),
    ],
    ids=["the welcome", "a lesson", "the contents"],
)
@pytest.mark.whole
def test_what_is_typed_before_anything_is_drawn_is_done_in_its_turn(
    tmp_path: Path, arguments: tuple[str, ...], keys: str, until: str
) -> None:
    if arguments == ("--lang", "en"):
        Progress(tmp_path / "progress.json").save_introduced()
    with Terminal(*arguments, home=tmp_path) as terminal:
        terminal.type(keys)
        terminal.wait_for(until)


@pytest.mark.parametrize("wanted", ["", "1"], ids=["NO_COLOR=", "NO_COLOR=1"])
@pytest.mark.whole
def test_no_color_leaves_attributes_and_no_colour_at_all(tmp_path: Path, wanted: str) -> None:
    path = tmp_path / "mine.py"
    path.write_text("x = [1,\n     2]\n")
    with Terminal("sandbox", str(path), home=tmp_path, NO_COLOR=wanted) as terminal:
        terminal.wait_for("mine.py", "run")
        terminal.type("\x06x")  # the editor's own search, in which Textual's widgets type
        terminal.wait_for("1/1")
        terminal.type("\x1bOP")  # F1
        terminal.wait_for("Keys that work here")

        sent = ";".join(re.findall(r"\x1b\[([0-9;]*)m", terminal.sent)).split(";")
        colours = {code for code in sent if code and int(code) not in ATTRIBUTES}
        assert bool(colours) != bool(wanted), sorted(colours)
        assert not wanted or {"1", "2", "7"} <= set(sent)  # bold, dim, reverse


@pytest.mark.whole
def test_the_first_start_welcomes_and_the_second_does_not(tmp_path: Path) -> None:
    with Terminal(home=tmp_path) as terminal:
        terminal.wait_for("Welcome 1/4", "Enter runs them")
        terminal.forget()
        terminal.type("\x1b")
        terminal.wait_for("Contents")
        terminal.type("q")
        assert terminal.wait_for_end() == 0
    with Terminal(home=tmp_path) as again:
        again.wait_for("Contents", "quit", "ready")

        assert "Welcome" not in again.text


def test_the_language_of_the_locale_is_spoken(tmp_path: Path) -> None:
    with Terminal(home=tmp_path, LANG="zh_CN.UTF-8") as terminal:
        terminal.wait_for("目录", "退出")


@pytest.mark.whole
def test_a_program_of_ones_own_fails_where_it_does(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("import torch\nw = torch.ones(2, requires_grad=True)\nw += 1\n")
    with Terminal("sandbox", str(path), home=tmp_path) as terminal:
        terminal.wait_for("w += 1", "run")
        terminal.type("\x12")
        terminal.wait_for("RuntimeError", "a leaf Variable that requires grad")
        terminal.type("N")
        terminal.wait_for("step 2/3")


@pytest.mark.whole
def test_an_endless_loop_and_a_flood_leave_the_screen_alive(tmp_path: Path) -> None:
    path = tmp_path / "loop.py"
    path.write_text("n = 0\nwhile True:\n    print(n)\n    n += 1\n")
    with Terminal("sandbox", str(path), home=tmp_path) as terminal:
        terminal.wait_for("while True", "run")
        terminal.type("\x1b[15~")
        terminal.wait_for("steps")
        terminal.type("g")
        terminal.type("?")
        terminal.wait_for("Keys that work here")
        terminal.type("\x1b\x11")
        terminal.wait_for_end()
