"""Panels that follow the cursor, and notes beside the lines."""

from __future__ import annotations

from pathlib import Path

from inplace_tui.tutorial.ui.opening import Opening
from support.played import ERROR, RAISED, STEPS
from support.screens import opened
from support.stand_in import StandIn

PROGRAM = "a = 1\nb = 2\nc = 3\nd = 4\n"


def opening(home: Path, text: str = PROGRAM) -> Opening:
    path = home / "mine.py"
    path.write_text(text)
    return Opening(screen="sandbox", file=path)


async def test_the_panels_show_what_was_there_at_the_cursor_s_line(tmp_path: Path) -> None:
    async with opened(opening(tmp_path), tmp_path) as stage:
        await stage.press("ctrl+r")
        await stage.ran()
        await stage.press("i", "down")
        await stage.until(lambda: stage.sandbox.view.cursor == 1)
        await stage.press("down")
        await stage.until(lambda: stage.sandbox.view.cursor == 2)
        await stage.press("home", "enter")  # the line is one further down now
        await stage.pilot.pause(0.1)

        assert stage.sandbox.view.cursor == 2

        await stage.press("up")
        await stage.until(lambda: stage.sandbox.view.cursor == 1)


async def test_the_editor_marks_who_saved_who_changed_and_who_failed(tmp_path: Path) -> None:
    worker = StandIn({PROGRAM: ((*STEPS[:3], RAISED), ERROR)})
    async with opened(opening(tmp_path), tmp_path, worker=worker) as stage:
        await stage.press("ctrl+r")
        await stage.ran()
        await stage.press("i")

        assert "✗" in next(line for line in stage.lines if "d = 4" in line)

        await stage.press("down", "down", "down", "end", "#")

        await stage.until(lambda: "✗" not in next(x for x in stage.lines if "d = 4" in x))
