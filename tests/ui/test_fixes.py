"""What could be written instead: below the explanation, in a list, and in the sandbox."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.run.fix import AddedTime, Fix, FixSearch, in_order
from inplace_tui.common.run.outcome import Raised
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.activity.session.signals import AnswerGiven, Move, Moved, QuestionLeft
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.panels.why import WhyPanel
from inplace_tui.tutorial.ui.run.fixing import FixesDialog
from inplace_tui.tutorial.ui.sandbox.sandbox import SandboxScreen
from inplace_tui.tutorial.ui.screens.lesson import LessonScreen
from inplace_tui.tutorial.ui.widgets.lines import Lines
from support.lent import Lent
from support.played import ERROR, LESSON, RAISED, STEPS
from support.screens import Stage, opened
from support.stand_in import READY, StandIn
from support.views import SOURCE, failing


def fix(title: str) -> Fix:
    text = LocalText(en=title, zh=title)
    return Fix(title=text, line=4, diff="-y.add_(1)\n+y = y + 1", source=title)


@asynccontextmanager
async def failed(
    home: Path, *, size: tuple[int, int] = (80, 24), worker: Worker | None = None
) -> AsyncIterator[Stage]:
    """Open the sandbox at the end of the program that fails."""
    file = home / "program.py"
    file.write_text(SOURCE, encoding="utf-8")
    made = failing()
    assert made.outcome is not None
    worker = worker or StandIn({SOURCE: (tuple(made), made.outcome)})
    opening = Opening(screen="sandbox", file=file)
    async with opened(opening, home, size=size, worker=worker) as stage:
        await stage.until(lambda: isinstance(stage.app.page, SandboxScreen))
        await stage.press("ctrl+r")
        await stage.ran()
        yield stage


def why(stage: Stage) -> str:
    assert stage.app.page is not None
    return stage.app.page.query_one(WhyPanel).text


async def listed(stage: Stage, *found: Fix) -> list[Fix | None]:
    """Open the list of these; return where what was chosen will be."""
    chosen: list[Fix | None] = []
    search = FixSearch(found=found, tried=1, total=3)
    stage.app.push_screen(FixesDialog(search), chosen.append)
    await stage.pilot.pause()
    return chosen


@pytest.mark.parametrize("keys", ["x", "xw"])
@pytest.mark.whole(every=2)
async def test_the_list_opens_once_the_run_is_over_whatever_is_pressed_behind_it(
    tmp_path: Path, keys: str
) -> None:
    made = failing()
    assert made.outcome is not None
    worker = StandIn({SOURCE: (tuple(made), made.outcome)}, waits=True)
    (tmp_path / "program.py").write_text(SOURCE, encoding="utf-8")
    opening = Opening(screen="sandbox", file=tmp_path / "program.py")
    async with opened(opening, tmp_path, worker=worker) as stage:
        await stage.until(lambda: isinstance(stage.app.page, SandboxScreen))
        await stage.press("ctrl+r", *keys)
        assert not isinstance(stage.app.screen, FixesDialog)
        assert "done as soon as" in stage.text

        worker.say(READY)
        await stage.until(lambda: isinstance(stage.app.screen, FixesDialog))


@pytest.mark.whole
async def test_that_nothing_passed_is_said_below_the_explanation(tmp_path: Path) -> None:
    """The worker that stands in has no gradients to show, so that no rewrite proves itself."""
    async with failed(tmp_path, size=(120, 40)) as stage:
        await stage.until(lambda: "No rewrite passed" in why(stage))

        assert why(stage).index("saved y at version 0") < why(stage).index("No rewrite passed")
        await stage.press("x")
        assert isinstance(stage.app.screen, FixesDialog)
        assert "No rewrite passed" in stage.text


async def test_x_on_a_run_that_is_fine_says_so(tmp_path: Path) -> None:
    async with failed(tmp_path, worker=StandIn()) as stage:
        await stage.press("x")

        assert "there is nothing to fix" in stage.lines[-2]
        assert "x fixes" not in stage.lines[-1]


@pytest.mark.whole
async def test_x_on_a_failure_of_another_kind_says_so(tmp_path: Path) -> None:
    error = Raised(exception="NameError", message="no name z", line=4, in_backward=False)
    worker = StandIn({SOURCE: (STEPS[:3], error)})
    async with failed(tmp_path, worker=worker) as stage:
        await stage.press("x")

        assert "not about autograd" in stage.lines[-2]


async def test_while_a_question_is_open_there_are_no_fixes_to_see(tmp_path: Path) -> None:
    worker = StandIn({LESSON.code: ((*STEPS[:3], RAISED), ERROR)})
    opening = Opening(screen="lesson", lesson=LESSON.lesson.id)
    async with opened(opening, tmp_path, worker=worker) as stage:
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        await stage.ran()
        stage.lesson.send(Moved(Move.CONTINUE))
        stage.lesson.send(AnswerGiven("one"))
        stage.lesson.send(Moved(Move.NEXT))
        stage.lesson.send(QuestionLeft())
        await stage.press("G", "x")

        assert "this would give its answer away" in stage.lines[-2]
        assert "fixes" not in stage.text


async def test_a_number_chooses_a_fix(tmp_path: Path) -> None:
    async with opened(Opening(), tmp_path) as stage:
        chosen = await listed(stage, fix("first"), fix("second"))
        await stage.press("3", "2")

        assert chosen == [fix("second")]


async def test_down_and_enter_choose_too_and_esc_chooses_nothing(tmp_path: Path) -> None:
    async with opened(Opening(), tmp_path) as stage:
        chosen = await listed(stage, fix("first"), fix("second"))
        await stage.press("down", "enter")
        nothing = await listed(stage, fix("first"))
        await stage.press("escape")

        assert (chosen, nothing) == ([fix("second")], [None])


async def test_a_click_on_any_of_its_lines_chooses_a_fix(tmp_path: Path) -> None:
    async with opened(Opening(), tmp_path) as stage:
        chosen = await listed(stage, fix("first"), fix("second"))
        at = stage.app.screen.query_one(Lines).text.splitlines().index("2  second")
        await stage.pilot.click(Lines, offset=(6, at + 2))

        assert chosen == [fix("second")]


async def test_the_list_fills_while_it_is_in_front(tmp_path: Path) -> None:
    async with opened(Opening(), tmp_path) as stage:
        await listed(stage)
        screen = stage.app.screen
        assert isinstance(screen, FixesDialog)
        assert "(1 of 3 tried)" in stage.text

        screen.show(FixSearch(found=(fix("first"),), tried=2, total=3))
        await stage.pilot.pause()

        assert "1  first" in stage.text
        assert "(2 of 3 tried)" in stage.text


def test_a_fix_keeps_its_number_whatever_is_found_after_it() -> None:
    a, b, c = fix("a"), fix("b"), fix("c")

    assert in_order((a, b), (c, b)) == (a, b, c)


@pytest.mark.asyncio(loop_scope="session")
async def test_a_real_failure_is_fixed_in_the_editor_and_can_be_undone(
    worker: Worker, tmp_path: Path
) -> None:
    async with failed(tmp_path, worker=Lent(worker)) as stage:
        page = stage.sandbox
        await stage.until(lambda: page.view.fixes is not None and page.view.fixes.over)
        assert "1  Compute a new y instead of writing the old one in place" in why(stage)
        await stage.press("x", "1")
        await stage.until(lambda: page.view.source != SOURCE)
        await stage.ran()

        assert page.editor.text == SOURCE.replace("y.add_(1)", "y = y.add(1)")
        assert "gradients right" in stage.lines[0]
        assert "not saved" in stage.lines[0]
        assert (tmp_path / "program.py").read_text(encoding="utf-8") == SOURCE
        await stage.press("i", "ctrl+z")
        assert page.editor.text == SOURCE


def test_an_open_list_keeps_its_order_and_takes_the_time_that_was_measured_last() -> None:
    one, two = (Fix(title=LocalText(t, zh=t), line=1, diff="", source=t) for t in ("a", "b"))
    timed = msgspec.structs.replace(one, added_time=AddedTime(seconds=None))

    assert in_order((one,), (two, timed)) == (timed, two)
