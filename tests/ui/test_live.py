"""Running while one types, panels that follow the cursor, and notes beside the lines."""

from __future__ import annotations

from pathlib import Path

from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.panels import CodePanel
from inplace_tui.tutorial.ui.widgets.editor import Editor
from support.played import ERROR, RAISED, STEPS
from support.screens import Stage, opened
from support.stand_in import StandIn

PROGRAM = "a = 1\nb = 2\nc = 3\nd = 4\n"


def opening(home: Path, text: str = PROGRAM) -> Opening:
    path = home / "mine.py"
    path.write_text(text)
    return Opening(screen="sandbox", file=path)


async def ran_again(stage: Stage, runs: int) -> None:
    await stage.until(lambda: len(stage.worker.asked) == runs)
    await stage.ran()


async def test_live_runs_what_is_typed_and_stays_in_the_editor(tmp_path: Path) -> None:
    async with opened(opening(tmp_path), tmp_path, size=(120, 40)) as stage:
        await stage.press("ctrl+l")
        await ran_again(stage, 1)

        assert "● live" in stage.lines[0]

        await stage.press("x")
        await ran_again(stage, 2)

        assert stage.worker.asked[-1].source == "x" + PROGRAM
        assert isinstance(stage.sandbox.focused, Editor)
        assert stage.sandbox.editor.cursor_location == (0, 1)

        await stage.press("ctrl+l", "y")
        await stage.pilot.pause(0.5)

        assert len(stage.worker.asked) == 2


async def test_live_runs_what_is_replaced(tmp_path: Path) -> None:
    async with opened(opening(tmp_path), tmp_path, size=(120, 40)) as stage:
        await stage.press("ctrl+l")
        await ran_again(stage, 1)
        await stage.press("ctrl+f", "1", "tab", "7", "enter")
        await ran_again(stage, 2)

        assert stage.worker.asked[-1].source == PROGRAM.replace("1", "7")

        await stage.press("tab", "backspace", "2", "tab", "8", "alt+a")
        await ran_again(stage, 3)

        assert stage.worker.asked[-1].source == PROGRAM.replace("1", "7").replace("2", "8")


async def test_a_mistake_is_told_quietly_and_the_last_run_stays(tmp_path: Path) -> None:
    async with opened(opening(tmp_path), tmp_path, size=(120, 40)) as stage:
        await stage.press("ctrl+l")
        await ran_again(stage, 1)
        shown = stage.sandbox.view.timeline
        await stage.press("(")
        await stage.until(lambda: stage.sandbox.notes.mistake is not None)

        assert "line 1: '(' was never closed" in stage.lines[0]
        assert stage.sandbox.view.timeline is shown
        assert stage.sandbox.editor.cursor_location == (0, 1)
        assert len(stage.worker.asked) == 1


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


async def test_run_to_here_stops_before_the_line_of_the_cursor(tmp_path: Path) -> None:
    async with opened(opening(tmp_path), tmp_path) as stage:
        await stage.press("down", "down", "ctrl+t")
        await stage.ran()

        code = stage.sandbox.query_one(CodePanel)
        assert (stage.sandbox.view.cursor, stage.sandbox.view.next_line) == (1, 3)
        assert stage.sandbox.focused is code
        assert code.cursor == 2


async def test_the_editor_marks_who_saved_who_changed_and_who_failed(tmp_path: Path) -> None:
    worker = StandIn({PROGRAM: ((*STEPS[:3], RAISED), ERROR)})
    async with opened(opening(tmp_path), tmp_path, worker=worker) as stage:
        await stage.press("ctrl+r")
        await stage.ran()
        await stage.press("i")

        assert "✗" in next(line for line in stage.lines if "d = 4" in line)

        await stage.press("down", "down", "down", "end", "#")

        await stage.until(lambda: "✗" not in next(x for x in stage.lines if "d = 4" in x))
