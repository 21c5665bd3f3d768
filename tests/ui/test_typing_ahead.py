"""Keys that come faster than a screen opens are for that screen, not for what is behind it."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.events import Key, Paste
from textual.message import Message
from textual.widgets import Input

from inplace_tui.tutorial.ui.dialogs.help import HelpDialog
from inplace_tui.tutorial.ui.dialogs.palette import PaletteDialog
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.panels import CodePanel
from inplace_tui.tutorial.ui.screens.contents import ContentsScreen
from inplace_tui.tutorial.ui.screens.lesson import LessonScreen
from support.keyed import COURSE, SIX
from support.keyed import lesson as at_lesson
from support.played import ERROR, RAISED, RAISES, STEPS
from support.screens import SAVED_OUTPUT, Stage, lesson, opened
from support.seen import answered, marked
from support.stand_in import READY, StandIn

PROGRAM = "x = 1\n"


def sandbox(home: Path) -> Opening:
    (home / "mine.py").write_text(PROGRAM)
    return Opening(screen="sandbox", file=home / "mine.py")


def burst(stage: Stage, *sent: str | Message) -> None:
    """Have all of it arrive at once, as from a terminal that was not read for a while."""
    for each in sent:
        if isinstance(each, str):
            each = Key(each, each if len(each) == 1 else None)  # noqa: PLW2901
        stage.app.post_message(each)


def typed(stage: Stage) -> str:
    """Return what stands in the line of the dialog in front; nothing where there is none."""
    lines = stage.app.screen.query(Input)
    return lines.first().value if lines else ""


async def test_what_is_typed_behind_the_key_of_the_palette_stands_in_it(tmp_path: Path) -> None:
    """On a page, of which `q` would leave the program."""
    async with lesson(tmp_path) as stage:
        burst(stage, "colon", *"quit")
        await stage.until(lambda: typed(stage) == "quit")

        assert isinstance(stage.app.screen, PaletteDialog)


async def test_what_is_typed_behind_a_key_of_the_editor_is_not_in_the_program(
    tmp_path: Path,
) -> None:
    async with opened(sandbox(tmp_path), tmp_path) as stage:
        burst(stage, "ctrl+p", *"no", Paste("where"), *"to")
        await stage.until(lambda: typed(stage) == "nowhereto")

        assert stage.sandbox.editor.text == PROGRAM


@pytest.mark.parametrize("loads", [True, False])
@pytest.mark.whole
async def test_what_is_pressed_behind_a_paste_and_a_run_is_not_typed(
    tmp_path: Path, loads: bool
) -> None:
    told = StandIn(RAISES, waits=loads)
    async with opened(Opening(screen="sandbox"), tmp_path, worker=told) as stage:
        await stage.until(lambda: stage.app.focused is stage.sandbox.editor)
        burst(stage, Paste(PROGRAM), "ctrl+r", "N")
        await stage.until(lambda: stage.sandbox.ran_text is not None)
        told.say(READY)
        await stage.ran()
        await stage.pilot.pause()

        assert isinstance(stage.app.focused, CodePanel)
        assert stage.sandbox.editor.text == PROGRAM


async def test_esc_right_after_a_run_starts_stops_it_and_stays(tmp_path: Path) -> None:
    async with opened(sandbox(tmp_path), tmp_path) as stage:
        stage.worker.may_go_on.clear()
        await stage.press("ctrl+r", "escape")
        assert "You stopped this run." in stage.text
        assert not stage.sandbox.view.running

        stage.worker.may_go_on.set()
        await stage.press("ctrl+r")
        await stage.ran()
        await stage.press("escape")
        assert "once more leaves" in stage.text
        assert stage.sandbox.editor.text == PROGRAM

        await stage.press("escape")
        assert isinstance(stage.app.screen, ContentsScreen)


async def test_an_answer_right_behind_the_key_that_asks_is_marked_and_not_given(
    tmp_path: Path,
) -> None:
    told = StandIn({SIX.code: ((*STEPS[:3], RAISED), ERROR)})
    async with opened(Opening(), tmp_path, lessons=COURSE, worker=told) as stage:
        await at_lesson("six")(stage)
        burst(stage, "c", "b")
        await stage.until(lambda: marked(1)(stage))

        await stage.press("g")
        burst(stage, "c", "c", "enter")
        await stage.until(lambda: answered("is2")(stage))


async def test_a_step_back_right_after_a_run_starts_is_taken_from_its_end(tmp_path: Path) -> None:
    async with opened(sandbox(tmp_path), tmp_path) as stage:
        stage.worker.may_go_on.clear()
        await stage.press("ctrl+r", "N")
        assert stage.sandbox.view.cursor == -1
        assert "done as soon as it has" in stage.text
        stage.worker.may_go_on.set()
        await stage.ran()
        last = len(stage.sandbox.view.timeline) - 1
        await stage.until(lambda: stage.sandbox.view.cursor == last - 1)
        await stage.until(lambda: "done as soon as it has" not in stage.text)
        burst(stage, "N")
        await stage.until(lambda: stage.sandbox.view.cursor == last - 2)


async def test_a_name_typed_behind_the_key_that_asks_for_one_is_that_name(tmp_path: Path) -> None:
    """The question is asked by a task of its own."""
    async with opened(Opening(screen="sandbox"), tmp_path) as stage:
        where = tmp_path / "p.py"
        burst(stage, *"a=1", "ctrl+s", Paste(str(where)), "enter")
        await stage.until(where.exists)

        assert where.read_text() == "a=1"


async def test_a_number_typed_behind_the_key_that_asks_for_a_step_leads_there(
    tmp_path: Path,
) -> None:
    async with lesson(tmp_path) as stage:
        burst(stage, "number_sign", "2", "enter")
        await stage.until(lambda: stage.lesson.view.cursor == 1)


async def test_keys_behind_one_that_closes_a_dialog_are_for_the_page(tmp_path: Path) -> None:
    async with lesson(tmp_path) as stage:
        burst(stage, "question_mark", "escape", "n")
        await stage.until(lambda: stage.lesson.view.cursor == 0)


async def test_a_wish_for_the_answer_waits_for_its_question_while_torch_loads(
    tmp_path: Path,
) -> None:
    told = StandIn(RAISES, waits=True)
    async with opened(SAVED_OUTPUT, tmp_path, worker=told) as stage:
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        burst(stage, "c", "A")
        await stage.until(lambda: "done as soon as" in stage.text)
        assert stage.lesson.view.question is None

        told.say(READY)
        await stage.until(lambda: stage.lesson.view.question_is_done)


async def test_esc_takes_back_what_waits_and_stays_in_the_lesson(tmp_path: Path) -> None:
    told = StandIn(RAISES, waits=True)
    async with opened(SAVED_OUTPUT, tmp_path, worker=told) as stage:
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        await stage.until(lambda: stage.app.key_dispatch._is_open)
        burst(stage, "c", "A", "escape")
        await stage.until(lambda: "Taken back" in stage.text)
        burst(stage, "escape")
        await stage.until(lambda: "once more leaves" in stage.text)

        told.say(READY)
        await stage.ran()
        assert stage.lesson.view.cursor == -1
        assert stage.lesson.view.question is None


async def test_help_and_language_wait_for_no_run(tmp_path: Path) -> None:
    async with opened(SAVED_OUTPUT, tmp_path, worker=StandIn(waits=True)) as stage:
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        burst(stage, "c", "L", "question_mark")
        await stage.until(lambda: isinstance(stage.app.screen, HelpDialog))

        assert stage.app.language == "zh"


async def test_the_key_that_quits_waits_for_nothing(tmp_path: Path) -> None:
    async with opened(SAVED_OUTPUT, tmp_path, worker=StandIn(waits=True)) as stage:
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        burst(stage, "c", "A", "q")
        await stage.until(lambda: stage.app._exit)
