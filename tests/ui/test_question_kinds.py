"""Questions that are answered with lines of the program, on the screen, by keys."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from inplace_tui.common.run.outcome import Completed
from inplace_tui.common.run.program import Origin
from inplace_tui.tutorial.activity.session.saved import QuestionStatus
from inplace_tui.tutorial.activity.session.view import QuestionView
from inplace_tui.tutorial.course.lessons.kinds.kind import OrderView
from inplace_tui.tutorial.course.lessons.kinds.order import reordered
from inplace_tui.tutorial.course.lessons.loader import load_lesson
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.panels import CodePanel, QuestionPanel
from inplace_tui.tutorial.ui.screens.lesson import LessonScreen
from support.played import AT_BACK, ERROR, LESSON, RAISED, STEPS, step
from support.screens import Stage, course, opened
from support.stand_in import Run, StandIn

LINE_QUESTION = """
    ask:
      id: culprit
      kind: line
      prompt: {en: which line, zh: 哪一行}
      choices:
        - {id: writes, at: mutate, when: {tensors: {y: {version: 1}}}, why: {en: yes!, zh: 对}}
        - {id: saves, at: exp, when: {tensors: {y: {version: 9}}}, why: {en: saves, zh: 保存}}
      elsewhere: {en: not there, zh: 不在那里}
      hints: [{en: h1, zh: h1}]
recap: {en: recap, zh: recap}
"""

LINE = load_lesson(
    AT_BACK.format(id="culprit") + LINE_QUESTION, "culprit.yaml", origin=Origin.BUILT_IN
)

WIDE = load_lesson(
    AT_BACK.format(id="wide").replace("x = make() ", f"x = make({' + '.join('1' * 30)}) ")
    + LINE_QUESTION,
    "wide.yaml",
    origin=Origin.BUILT_IN,
)
"""The same beside a line that is wider than any panel of 80x24."""

ORDER = load_lesson(
    AT_BACK.format(id="order")
    + """
    ask:
      id: cure
      kind: order
      prompt: {en: put them right, zh: 重排}
      lines: [exp, mutate, back]
      goal: {ends: runs}
      why:
        - {when: {ends: raises_in_backward}, say: {en: still refused, zh: 还是报错}}
      right: {en: that works, zh: 可行}
      hints: [{en: h1, zh: h1}]
recap: {en: recap, zh: recap}
""",
    "order.yaml",
    origin=Origin.BUILT_IN,
)

FAILS = ((*STEPS[:3], RAISED), ERROR)
WORKS = ((*STEPS[:3], step(3, 4, then=5)), Completed())
IN_ORDER: dict[str, Run] = {
    **dict.fromkeys((each.code for each in (LINE, WIDE, ORDER)), FAILS),
    # The second answer fails too; with the write last it works.
    ORDER.program_of(reordered(ORDER.anchored, ["exp", "back", "mutate"])).source: WORKS,
    ORDER.program_of(reordered(ORDER.anchored, ["mutate", "exp", "back"])).source: FAILS,
}


@asynccontextmanager
async def asked(
    home: Path,
    identity: str,
    *,
    size: tuple[int, int] = (80, 24),
    language: str = "en",
    worker: StandIn | None = None,
) -> AsyncIterator[Stage]:
    """Open a lesson and go to its question."""
    async with opened(
        Opening(screen="lesson", lesson=identity),
        home,
        size=size,
        language=language,
        lessons=course((LESSON, LINE, WIDE, ORDER)),
        worker=worker or StandIn(IN_ORDER),
    ) as stage:
        await stage.until(lambda: isinstance(stage.app.page, LessonScreen))
        await stage.ran()
        await stage.press("c")
        if stage.lesson.view.question is None:
            await stage.press("n")
        yield stage


def question(stage: Stage) -> QuestionView:
    shown = stage.lesson.view.question
    assert shown is not None
    return shown


def order(stage: Stage) -> OrderView:
    answers = question(stage).answers
    assert isinstance(answers, OrderView)
    return answers


def names(stage: Stage) -> list[str]:
    return order(stage).answer.split(" ")


# A line at fault.


async def test_a_line_is_pointed_at_wrongly_then_rightly_by_keys_alone(tmp_path: Path) -> None:
    async with asked(tmp_path, "culprit") as stage:
        assert isinstance(stage.app.focused, CodePanel)
        assert "Enter answers" in stage.text

        await stage.press("up", "up", "enter")

        assert question(stage).status is QuestionStatus.AGAIN
        assert "saves" in stage.text
        assert isinstance(stage.app.focused, CodePanel)

        await stage.press("down", "enter")

        assert question(stage).status is QuestionStatus.RIGHT
        assert "yes!" in stage.text


async def test_enter_once_more_after_the_right_line_runs_nowhere(tmp_path: Path) -> None:
    async with asked(tmp_path, "culprit") as stage:
        await stage.press("up", "enter")
        cursor = stage.lesson.view.cursor

        await stage.press("enter")

        assert question(stage).status is QuestionStatus.RIGHT
        assert stage.lesson.view.cursor == cursor


async def test_the_line_at_fault_is_seen_with_what_is_said_of_it(tmp_path: Path) -> None:
    async with asked(tmp_path, "culprit") as stage:
        await stage.press("up", "up", "enter", "up", "enter")

        assert question(stage).status is QuestionStatus.WRONG
        assert "✓ 3  y.add_(1)  correct answer" in stage.text
        assert "yes!" in stage.text


async def test_a_click_moves_the_cursor_and_answers_nothing(tmp_path: Path) -> None:
    async with asked(tmp_path, "culprit") as stage:
        panel = stage.lesson.query_one(CodePanel)

        await stage.pilot.click(panel, offset=(8, 2))

        assert panel.cursor == 1
        assert question(stage).tried == ()
        assert stage.lesson.view.cursor == 2


async def test_home_and_end_stay_with_the_lines_that_are_asked_for(tmp_path: Path) -> None:
    async with asked(tmp_path, "culprit") as stage:
        before, code = stage.lesson.view.cursor, stage.lesson.query_one(CodePanel)
        places = []
        for key in ("end", "home"):
            await stage.press(key)
            places.append(code.cursor)

        assert places == [len(code.rows) - 1, 0]
        assert stage.lesson.view.cursor == before


@pytest.mark.parametrize("identity", ["culprit", "order", LESSON.lesson.id])
@pytest.mark.whole(every=3)
async def test_home_and_end_leave_an_open_question_in_no_panel(
    identity: str, tmp_path: Path
) -> None:
    async with asked(tmp_path, identity) as stage:
        before, rows = stage.lesson.view.cursor, []
        await stage.press("1", "end")
        rows.append(stage.lesson.panel("state").cursor)
        await stage.press("home")
        rows.append(stage.lesson.panel("state").cursor)
        await stage.press("2", "home", "end")
        assert stage.lesson.view.cursor == before
        assert stage.lesson.view.awaits_answer

        await stage.press("g")
        assert stage.lesson.view.cursor == -1
        assert rows[0] != rows[1]


async def test_a_digit_leads_to_a_panel_and_enter_back_to_the_code(tmp_path: Path) -> None:
    async with asked(tmp_path, "culprit") as stage:
        await stage.press("4")

        assert question(stage).tried == ()
        assert stage.app.focused is stage.lesson.panel("output")

        await stage.press("shift+tab", "shift+tab", "shift+tab", "shift+tab", "enter")

        assert stage.app.focused is stage.lesson.query_one(CodePanel)
        assert question(stage).tried == ()


@pytest.mark.parametrize("key", ["Q", "enter", "escape"])
@pytest.mark.parametrize("identity", ["culprit", "order", LESSON.lesson.id])
@pytest.mark.whole(every=3)
async def test_one_key_leads_back_from_a_panel_that_covers_the_question(
    identity: str, key: str, tmp_path: Path
) -> None:
    """Enter gave the focus to the question and left it covered: letters answered unseen."""
    async with asked(tmp_path, identity) as stage:
        place = stage.app.focused
        await stage.press("6", "a")
        assert not stage.lesson.panel("question").display

        await stage.press(key)

        assert stage.lesson.panel("question").display
        assert stage.app.focused is place
        assert question(stage).tried == ()


@pytest.mark.parametrize("identity", ["culprit", "order", LESSON.lesson.id])
@pytest.mark.whole(every=3)
async def test_a_question_opens_over_a_panel_that_was_zoomed(identity: str, tmp_path: Path) -> None:
    async with asked(tmp_path, identity) as stage:
        place = stage.app.focused
        await stage.press("N", "5", "z")
        assert stage.lesson.zoomed == "timeline"

        await stage.press("c")
        assert stage.lesson.panel("question").display
        assert stage.app.focused is place

        await stage.press("a")

        assert question(stage).tried == ()


async def test_lines_are_moved_only_where_that_is_seen(tmp_path: Path) -> None:
    async with asked(tmp_path, "order") as stage:
        before = names(stage)
        await stage.press("1")
        assert "line down" not in stage.lines[-1]

        await stage.press("J")
        assert names(stage) == before
        assert stage.lesson.panel("question").display

        await stage.press("J")
        assert names(stage) != before


async def test_the_cursor_is_a_bar_and_comes_along_when_one_pages(tmp_path: Path) -> None:
    async with asked(tmp_path, "culprit") as stage:
        code = stage.lesson.query_one(CodePanel)
        await stage.press("pageup")
        assert code.cursor == 0

        await stage.press("pagedown", "up")
        assert code.cursor == len(code.rows) - 2

        reversed_lines = [
            y
            for y in range(code.scrollable_content_region.height)
            if all(each.style and each.style.reverse for each in code.render_line(y))
        ]

        assert reversed_lines == [code.cursor]


async def test_the_bar_is_as_wide_as_the_panel_beside_code_that_is_wider(tmp_path: Path) -> None:
    async with asked(tmp_path, "wide") as stage:
        code = stage.lesson.query_one(CodePanel)
        width = code.scrollable_content_region.width
        assert code.virtual_size.width > width

        await stage.press("end")

        assert code.cursor is not None
        bar = code.render_line(code.cursor - round(code.scroll_offset.y))
        assert bar.cell_length == width
        assert "…" not in bar.text


async def test_a_question_that_was_passed_by_is_not_said_to_be_ahead(tmp_path: Path) -> None:
    async with asked(tmp_path, "order") as stage:
        await stage.press("escape")
        assert "? question ahead" in stage.text

        await stage.press("n")

        assert "? question ahead" not in stage.text
        assert "? question open" in stage.text


@pytest.mark.whole
async def test_code_and_question_are_seen_together_with_the_cursor(tmp_path: Path) -> None:
    for size, language in (((80, 24), "en"), ((80, 24), "zh"), ((120, 40), "en")):
        home = tmp_path / f"{size[0]}-{language}"
        async with asked(home, "culprit", size=size, language=language) as stage:
            assert LINE.lesson.steps[0].ask is not None
            prompt = LINE.lesson.steps[0].ask.prompt[language]

            assert prompt in stage.text
            assert "y.backward()" in stage.text


# An order.


async def test_an_order_is_moved_and_committed_by_keys_alone(tmp_path: Path) -> None:
    async with asked(tmp_path, "order") as stage:
        assert isinstance(stage.app.focused, QuestionPanel)
        await stage.press("J")
        assert names(stage) == ["mutate", "exp", "back"]

        await stage.press("enter")
        await stage.until(lambda: question(stage).status is not QuestionStatus.CHECKING)

        assert question(stage).status is QuestionStatus.AGAIN
        assert "still refused" in stage.text

        await stage.press("K", "down", "shift+down", "enter")
        await stage.until(lambda: question(stage).status is not QuestionStatus.CHECKING)

        assert question(stage).tried[-1] == "exp back mutate"
        assert question(stage).status is QuestionStatus.RIGHT
        assert "that works" in stage.text


async def test_the_line_that_moves_stays_the_chosen_one(tmp_path: Path) -> None:
    async with asked(tmp_path, "order") as stage:
        await stage.press("J", "J", "J")
        assert names(stage) == ["mutate", "back", "exp"]

        await stage.press("shift+up")

        assert names(stage) == ["mutate", "exp", "back"]


async def test_a_letter_and_a_click_choose_the_line_to_move(tmp_path: Path) -> None:
    async with asked(tmp_path, "order") as stage:
        await stage.press("c", "K")
        assert names(stage) == ["exp", "back", "mutate"]

        panel = stage.lesson.query_one(QuestionPanel)
        row = next(n for n, row in enumerate(panel.rows) if row.target.place == 0)
        await stage.pilot.click(panel, offset=(8, row + 1))
        assert question(stage).tried == ()

        await stage.press("J")

        assert names(stage) == ["back", "exp", "mutate"]


async def test_full_width_keys_move_lines_too(tmp_path: Path) -> None:
    async with asked(tmp_path, "order", language="zh") as stage:
        await stage.press("Ｊ", "Ｊ", "Ｋ")

        assert names(stage) == ["mutate", "exp", "back"]


async def test_a_wish_for_the_answer_shows_an_order_that_works(tmp_path: Path) -> None:
    async with asked(tmp_path, "order") as stage:
        await stage.press("A")
        await stage.until(lambda: order(stage).works != ())

        assert question(stage).status is QuestionStatus.SHOWN
        assert "An order that works:" in stage.lesson.query_one(QuestionPanel).text


async def test_while_an_order_runs_that_is_said_and_nothing_moves(tmp_path: Path) -> None:
    worker = StandIn(IN_ORDER)
    async with asked(tmp_path, "order", worker=worker) as stage:
        worker.may_go_on.clear()
        await stage.press("J", "enter")

        assert "running your order" in stage.text

        await stage.press("J", "K", "enter")
        assert names(stage) == ["mutate", "exp", "back"]

        worker.may_go_on.set()
        await stage.until(lambda: question(stage).status is QuestionStatus.AGAIN)


@pytest.mark.whole
async def test_the_keys_of_the_kind_are_in_the_footer(tmp_path: Path) -> None:
    async with asked(tmp_path, "order") as stage:
        assert "K line up  J line down  Enter answer" in stage.lines[-1]
    async with asked(tmp_path / "line", "culprit") as stage:
        assert "Enter answer" in stage.lines[-1]
        assert "line up" not in stage.lines[-1]


# In either language.


async def test_another_language_and_back_leave_all_where_it_was(tmp_path: Path) -> None:
    """A question has other rows in another language, and the panels below it another place."""
    async with asked(tmp_path, "culprit", size=(84, 24)) as stage:
        await stage.pilot.pause()
        before = stage.text

        await stage.press("L")
        assert stage.text != before
        await stage.press("L")

        assert stage.text == before
