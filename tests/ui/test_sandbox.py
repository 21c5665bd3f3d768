"""The sandbox: write, run, step, edit, run again, save."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import pytest
from textual.widgets import Input

from inplace_tui.common.run.outcome import Completed, Crashed, Raised, TimedOut
from inplace_tui.tutorial.ui.dialogs.dialog import AskDialog, PromptDialog
from inplace_tui.tutorial.ui.dialogs.help import HelpDialog
from inplace_tui.tutorial.ui.dialogs.program_dialog import ProgramDialog
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.panels import CodePanel
from inplace_tui.tutorial.ui.sandbox.sandbox import SandboxScreen
from inplace_tui.tutorial.ui.screens.contents import ContentsScreen
from inplace_tui.tutorial.ui.widgets.editor import Editor
from support.keyed import LONG, shown
from support.played import ERROR, RAISED, STEPS, step
from support.screens import Stage, opened
from support.stand_in import Run, StandIn

EMPTY = Opening(screen="sandbox")


def opening(path: Path) -> Opening:
    return Opening(screen="sandbox", file=path)


async def run(stage: Stage, key: str = "ctrl+r") -> None:
    await stage.press(key)
    await stage.ran()


def program(home: Path, text: str = "a = 1\nb = 2\nc = 3\nd = 4\n") -> Path:
    path = home / "mine.py"
    path.write_text(text)
    return path


async def name(stage: Stage, path: Path) -> None:
    """Answer the prompt for a file; the name comes in at once, as pasted."""
    stage.app.screen.query_one(Input).value = str(path)
    await stage.press("enter")


# Typing.


async def test_letters_type_and_lines_indent_by_themselves(tmp_path: Path) -> None:
    async with opened(EMPTY, tmp_path) as stage:
        await stage.press(*"if n:", "enter", *"q", "enter", "backspace", *"z")

        assert stage.sandbox.editor.text == "if n:\n    q\nz"


async def test_an_empty_editor_says_what_can_be_done_in_it(tmp_path: Path) -> None:
    async with opened(EMPTY, tmp_path) as stage:
        assert "Ctrl-R runs it" in stage.text

        await stage.press("L")  # types: there is a program now
        assert "opens the program of that lesson" not in stage.text

        await stage.press("backspace")
        stage.app.language = "zh"
        await stage.pilot.pause()
        assert "打开那一课的程序" in stage.text
        assert "opens the program of that lesson" not in stage.text


@pytest.mark.whole
async def test_what_is_bound_to_no_letter_works_while_one_searches(tmp_path: Path) -> None:
    async with opened(EMPTY, tmp_path) as stage:
        await stage.press("escape", "slash", "q", "question_mark")
        assert "F1 help  Ctrl-Q quit" in stage.lines[-1]

        await stage.press("f1")

        assert isinstance(stage.app.screen, HelpDialog)


async def test_full_width_letters_stay_what_they_are_in_the_editor(tmp_path: Path) -> None:
    async with opened(EMPTY, tmp_path) as stage:
        await stage.press("ｎ", "？")

        assert stage.sandbox.editor.text == "ｎ？"


async def test_typing_can_be_undone(tmp_path: Path) -> None:
    async with opened(opening(program(tmp_path, "x\n")), tmp_path) as stage:
        await stage.press("y", "ctrl+z")

        assert stage.sandbox.editor.text == "x\n"


async def test_python_is_highlighted_in_the_colours_of_the_theme(tmp_path: Path) -> None:
    async with opened(opening(program(tmp_path, "def f(): pass\n")), tmp_path) as stage:
        editor = stage.sandbox.editor

        assert editor.is_syntax_aware
        assert editor.theme == stage.app.theme

        await stage.press("escape", "T")

        assert editor.theme == stage.app.theme


async def test_escape_leaves_the_editor_and_i_goes_back(tmp_path: Path) -> None:
    async with opened(EMPTY, tmp_path) as stage:
        await stage.press("escape")

        assert isinstance(stage.sandbox.focused, CodePanel)

        await stage.press("i")

        assert isinstance(stage.sandbox.focused, Editor)


# Running.


async def test_every_run_key_runs_and_the_end_is_shown(tmp_path: Path) -> None:
    async with opened(opening(program(tmp_path)), tmp_path) as stage:
        for key in ("ctrl+r", "f5", "ctrl+j"):
            await run(stage, key)
            await stage.press("i")

        assert len(stage.worker.asked) == 3
        assert stage.sandbox.view.cursor == len(STEPS) - 1


async def test_a_file_runs_in_its_folder_and_draws_other_numbers_each_time(tmp_path: Path) -> None:
    path = program(tmp_path)
    async with opened(opening(path), tmp_path) as stage:
        await run(stage)
        await run(stage)
        first, second = stage.worker.asked

        assert (first.filename, first.folder) == ("mine.py", str(tmp_path))
        assert first.seed is not None  # its replays draw the same
        assert first.seed != second.seed


async def test_the_footer_names_the_keys_that_work_where_the_learner_is(tmp_path: Path) -> None:
    async with opened(opening(program(tmp_path)), tmp_path) as stage:
        typing = stage.lines[-1]
        await run(stage)
        stepping = stage.lines[-1]
        await stage.press("i")

        assert typing.endswith("F1 help  Ctrl-Q quit")
        assert stepping.endswith("? help  q quit")
        assert stage.lines[-1] == typing


async def test_an_error_is_shown_where_it_happened(tmp_path: Path) -> None:
    path = program(tmp_path)
    worker = StandIn({path.read_text(): ((*STEPS[:3], RAISED), ERROR)})
    async with opened(opening(path), tmp_path, worker=worker) as stage:
        await stage.press("down", "right")
        await run(stage)

        marked = next(line for line in stage.lines if "d = 4" in line)
        assert "failed here" in marked
        assert "RuntimeError in backward" in stage.lines[0]

        await stage.press("i")

        assert stage.sandbox.editor.cursor_location == (1, 1)  # where one was


async def test_a_mistake_in_the_syntax_is_shown_though_nothing_ran(tmp_path: Path) -> None:
    path = program(tmp_path, "a = (\n")
    error = Raised(exception="SyntaxError", message="never closed", line=1, in_backward=False)
    worker = StandIn({path.read_text(): ((), error)})
    async with opened(opening(path), tmp_path, worker=worker) as stage:
        await run(stage)

        assert "SyntaxError" in stage.lines[0]
        assert "never closed" in stage.text


async def test_a_crash_keeps_the_steps_before_it(tmp_path: Path) -> None:
    path = program(tmp_path)
    worker = StandIn({path.read_text(): (STEPS[:2], Crashed(exit_code=-11, line=3))})
    async with opened(opening(path), tmp_path, worker=worker) as stage:
        await run(stage)

        assert "SIGSEGV on line 3" in stage.lines[0]
        assert stage.sandbox.view.cursor == 1

        await stage.press("N")

        assert stage.sandbox.view.cursor == 0


async def test_a_time_out_says_which_line_was_running(tmp_path: Path) -> None:
    path = program(tmp_path)
    worker = StandIn({path.read_text(): (STEPS[:2], TimedOut(seconds=10, line=3))})
    async with opened(opening(path), tmp_path, worker=worker) as stage:
        await run(stage)

        assert "stopped after 10 s, while line 3 was running" in stage.lines[0]


async def test_editing_after_a_run_says_that_the_run_is_older(tmp_path: Path) -> None:
    async with opened(opening(program(tmp_path)), tmp_path) as stage:
        await run(stage)
        await stage.press("i", "x")

        assert "edited since this run" in stage.lines[0]

        await run(stage)

        assert "edited since" not in stage.lines[0]
        assert "xa = 1" in stage.worker.asked[-1].source


async def test_stepping_before_the_first_run_says_what_to_do(tmp_path: Path) -> None:
    async with opened(opening(program(tmp_path)), tmp_path) as stage:
        await stage.press("escape", "n")

        assert "press Ctrl-R" in stage.text


# Files.


async def test_saving_writes_the_file(tmp_path: Path) -> None:
    path = program(tmp_path)
    async with opened(opening(path), tmp_path) as stage:
        await stage.press("x", "ctrl+s")
        await stage.until(lambda: not stage.sandbox.unsaved)

        assert path.read_text().startswith("xa = 1")
        assert "Saved to" in stage.text


async def test_saving_without_a_file_asks_for_its_name(tmp_path: Path) -> None:
    path = tmp_path / "new.py"
    async with opened(EMPTY, tmp_path) as stage:
        await stage.press("x", "escape", "W")
        await stage.until(lambda: isinstance(stage.app.screen, PromptDialog))
        await name(stage, path)
        await stage.until(lambda: isinstance(stage.app.screen, SandboxScreen))
        await stage.until(lambda: not stage.sandbox.unsaved)

        assert path.read_text() == "x"


@pytest.mark.whole
async def test_a_file_that_exists_is_not_overwritten_unasked(tmp_path: Path) -> None:
    path = program(tmp_path, "precious")
    async with opened(EMPTY, tmp_path) as stage:
        await stage.press("x", "ctrl+s")
        await stage.until(lambda: isinstance(stage.app.screen, PromptDialog))
        await name(stage, path)
        await stage.until(lambda: isinstance(stage.app.screen, AskDialog))
        await stage.press("escape")
        await stage.until(lambda: isinstance(stage.app.screen, PromptDialog))

        assert stage.app.screen.query_one(Input).value == str(path)

        await stage.press("escape")
        await stage.until(lambda: isinstance(stage.app.screen, SandboxScreen))

        assert path.read_text() == "precious"


async def test_a_file_that_cannot_be_saved_says_why_and_stays_unsaved(tmp_path: Path) -> None:
    path = program(tmp_path)
    async with opened(opening(path), tmp_path) as stage:
        path.unlink()
        path.mkdir()
        await stage.press("x", "ctrl+s")
        await stage.until(
            lambda: "Not saved to" in stage.text or isinstance(stage.app.screen, AskDialog)
        )

        assert stage.sandbox.unsaved


async def test_another_file_is_opened_from_within(tmp_path: Path) -> None:
    path = program(tmp_path)
    async with opened(EMPTY, tmp_path) as stage:
        await stage.press("ctrl+o")
        await stage.until(lambda: isinstance(stage.app.screen, ProgramDialog))
        await name(stage, path)
        await stage.until(lambda: stage.sandbox.filing.file is not None)

        assert stage.sandbox.editor.text == path.read_text()


@pytest.mark.whole
async def test_a_file_that_cannot_be_opened_leaves_an_empty_sandbox_and_the_reason(
    tmp_path: Path,
) -> None:
    path = tmp_path / "binary.py"
    path.write_bytes(b"\0")
    async with opened(opening(path), tmp_path, size=(200, 24)) as stage:
        await stage.until(lambda: "is no text" in stage.text)

        assert stage.sandbox.editor.text == ""


@pytest.mark.whole
async def test_leaving_asks_about_what_is_not_saved(tmp_path: Path) -> None:
    async with opened(EMPTY, tmp_path) as stage:
        await stage.press("x", "escape", "escape")
        await stage.until(lambda: isinstance(stage.app.screen, AskDialog))
        await stage.press("escape")

        assert stage.sandbox.editor.text == "x"

        await stage.press("escape")
        await stage.until(lambda: isinstance(stage.app.screen, AskDialog))
        await stage.press("2")
        await stage.until(lambda: isinstance(stage.app.screen, ContentsScreen))


async def test_quitting_asks_about_what_is_not_saved(tmp_path: Path) -> None:
    async with opened(EMPTY, tmp_path) as stage:
        await stage.press("x", "ctrl+q")
        await stage.until(lambda: isinstance(stage.app.screen, AskDialog))
        await stage.press("2")
        await stage.until(lambda: stage.app._exit)

        assert stage.app.return_value == 0


async def test_what_was_never_saved_is_there_the_next_time(tmp_path: Path) -> None:
    async with opened(EMPTY, tmp_path) as stage:
        await stage.press(*"precious")
        stage.sandbox.save_draft()
    async with opened(EMPTY, tmp_path) as again:
        assert again.sandbox.editor.text == "precious"
        assert "never saved" in again.text
        assert again.sandbox.unsaved


@pytest.mark.whole
async def test_the_run_before_is_gone_from_the_panels_too(tmp_path: Path) -> None:
    long: Run = (tuple(step(n, 2, then=2) for n in range(300)), Completed())
    async with opened(Opening(), tmp_path, worker=StandIn({LONG: long})) as stage:
        await shown(LONG)(stage)
        await stage.press(*"123456")
        first = weakref.ref(stage.sandbox.view.timeline)
        await stage.press("1", "R")
        await stage.ran()
        await stage.press("n")
        gc.collect()

        assert first() is None
