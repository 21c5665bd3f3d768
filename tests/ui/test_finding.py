"""Finding and replacing in the editor, and keys that come faster than they are answered."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.events import Key
from textual.widgets import Input

from inplace_tui.common.rows import Row, Span
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.panels.output import OutputPanel
from inplace_tui.tutorial.ui.widgets.editor import Editor
from support.screens import Stage, opened

PROGRAM = "add = 1\nb = add\nc = Add\n"


def opening(home: Path) -> Opening:
    (home / "mine.py").write_text(PROGRAM)
    return Opening(screen="sandbox", file=home / "mine.py")


def selected(stage: Stage) -> tuple[tuple[int, int], tuple[int, int]]:
    return stage.sandbox.editor.selection.start, stage.sandbox.editor.selection.end


async def test_each_letter_finds_and_escape_keeps_the_place(tmp_path: Path) -> None:
    async with opened(opening(tmp_path), tmp_path) as stage:
        await stage.press("down", "ctrl+f", *"add")

        assert selected(stage) == ((1, 4), (1, 7))
        assert "2/3" in stage.text

        await stage.press("enter")

        assert "3/3" in stage.text

        await stage.press("shift+tab", "shift+tab")

        assert "1/3" in stage.text

        await stage.press("escape")

        assert isinstance(stage.sandbox.focused, Editor)
        assert selected(stage) == ((0, 0), (0, 3))

        await stage.press("ctrl+g")

        assert selected(stage) == ((1, 4), (1, 7))


@pytest.mark.whole
async def test_what_is_nowhere_is_said_to_be_and_moves_nothing(tmp_path: Path) -> None:
    async with opened(opening(tmp_path), tmp_path) as stage:
        await stage.press("down", "ctrl+f", *"addx")

        assert "not found" in stage.text
        assert selected(stage) == ((1, 0), (1, 0))


async def test_one_is_replaced_by_enter_and_all_by_alt_a(tmp_path: Path) -> None:
    async with opened(opening(tmp_path), tmp_path) as stage:
        await stage.press("ctrl+f", *"add", "tab", *"x", "enter")

        assert stage.sandbox.editor.text == "x = 1\nb = add\nc = Add\n"
        assert isinstance(stage.sandbox.focused, Input)

        await stage.press("alt+a")

        assert stage.sandbox.editor.text == "x = 1\nb = x\nc = x\n"

        await stage.press("escape", "ctrl+z")

        assert stage.sandbox.editor.text == "x = 1\nb = add\nc = Add\n"


@pytest.mark.whole
async def test_alt_a_replaces_all_as_a_terminal_sends_it(tmp_path: Path) -> None:
    """Its event carries the letter, which was typed into the field instead."""
    async with opened(opening(tmp_path), tmp_path) as stage:
        await stage.press("ctrl+f", *"add", "tab", *"x")
        stage.app.post_message(Key("alt+a", "a"))
        await stage.pilot.pause()

        assert stage.sandbox.editor.text == "x = 1\nb = x\nc = x\n"


@pytest.mark.whole
async def test_home_in_a_long_line_leads_back_to_the_starts_of_the_lines(tmp_path: Path) -> None:
    """The view stopped at the cursor, four columns short of the start."""
    program = "def f():\n    return " + " + ".join(["value"] * 30) + "\n"
    (tmp_path / "mine.py").write_text(program)
    opening = Opening(screen="sandbox", file=tmp_path / "mine.py")
    async with opened(opening, tmp_path) as stage:
        await stage.press("down", "end")
        await stage.until(lambda: stage.editor.scroll_x > 0)
        await stage.press("home")
        await stage.until(lambda: stage.editor.scroll_x == 0)

        assert stage.editor.cursor_location == (1, 4)


@pytest.mark.whole
async def test_ctrl_end_and_ctrl_home_lead_to_the_ends_of_the_program(tmp_path: Path) -> None:
    async with opened(opening(tmp_path), tmp_path) as stage:
        await stage.press("ctrl+end", "x", "ctrl+home", "y")

        assert stage.sandbox.editor.text == f"y{PROGRAM}x"


@pytest.mark.whole
async def test_keys_do_not_overtake_each_other(tmp_path: Path) -> None:
    """Arrows bubbled up to the app, and letters typed after them came first."""
    async with opened(opening(tmp_path), tmp_path) as stage:
        for key in ("down", "end", "enter", "y"):
            stage.app.post_message(Key(key, key if len(key) == 1 else None))
        await stage.pilot.pause()

        assert stage.sandbox.editor.text == "add = 1\nb = add\ny\nc = Add\n"


@pytest.mark.parametrize("key", ["ctrl+r", "escape"])
@pytest.mark.whole
async def test_a_letter_right_behind_a_key_that_leaves_the_editor_is_no_text(
    tmp_path: Path, key: str
) -> None:
    """`i` leads back into the editor."""
    async with opened(opening(tmp_path), tmp_path) as stage:
        for each in (key, "i", "x"):
            stage.app.post_message(Key(each, each if len(each) == 1 else None))
        await stage.until(lambda: stage.sandbox.editor.text != PROGRAM)

        assert stage.sandbox.editor.text == f"x{PROGRAM}"


@pytest.mark.whole
async def test_a_letter_right_behind_the_key_for_find_is_looked_for(tmp_path: Path) -> None:
    async with opened(opening(tmp_path), tmp_path) as stage:
        for key in ("ctrl+f", "b"):
            stage.app.post_message(Key(key, key if len(key) == 1 else None))
        await stage.pilot.pause()
        await stage.pilot.pause()

        assert stage.sandbox.editor.text == PROGRAM
        assert selected(stage) == ((1, 0), (1, 1))


@pytest.mark.whole
async def test_blocks_are_moved_and_commented_in_one_step_each(tmp_path: Path) -> None:
    async with opened(opening(tmp_path), tmp_path) as stage:
        await stage.press("shift+down", "shift+down", "tab")

        assert stage.sandbox.editor.text == "    add = 1\n    b = add\nc = Add\n"

        await stage.press("ctrl+underscore")

        assert stage.sandbox.editor.text == "    # add = 1\n    # b = add\nc = Add\n"

        await stage.press("ctrl+z", "shift+tab")

        assert stage.sandbox.editor.text == PROGRAM


@pytest.mark.parametrize("level", ["none", "full"])
@pytest.mark.whole
async def test_a_cursor_blinks_unless_nothing_is_to_move(tmp_path: Path, level: str) -> None:
    async with opened(Opening(screen="sandbox"), tmp_path) as stage:
        stage.app.animation_level = "none" if level == "none" else "full"
        await stage.press("escape", "i", "ctrl+f")

        editor, wanted = stage.sandbox.editor, stage.app.focused
        assert isinstance(wanted, Input)
        assert [editor.cursor_blink, wanted.cursor_blink] == [level == "full"] * 2


def test_rows_that_are_exchanged_while_they_are_searched_are_searched_to_their_end() -> None:
    panel = OutputPanel()
    panel.rows = [Row((Span(f"row {number}"),)) for number in range(3)]

    hits = panel.hits("row")
    first = next(hits)
    panel.rows = panel.rows[:1]  # as a step does

    assert [first, *hits] == [0, 1, 2]
