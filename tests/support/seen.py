"""What holds of a screen: said of it before and after a key."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from inplace_tui.tutorial.activity.session.saved import QuestionStatus
from inplace_tui.tutorial.course.lessons.kinds.kind import OrderView
from inplace_tui.tutorial.state.watch import Watch
from inplace_tui.tutorial.ui.panels import GraphPanel, LanesPanel, QuestionPanel
from inplace_tui.tutorial.ui.sandbox.challenge import ChallengeScreen
from inplace_tui.tutorial.ui.screens.lesson import LessonScreen
from inplace_tui.tutorial.ui.screens.values import ValuesScreen
from support.keyed import in_front, run, text_of
from support.patience import PATIENCE
from support.screens import Stage

Holds = Callable[[Stage], bool]


async def comes_to(stage: Stage, holds: Holds) -> bool:
    """Wait until it holds; False if it never does."""
    try:
        async with asyncio.timeout(PATIENCE):
            await stage.until(lambda: holds(stage))
    except TimeoutError:
        return False
    return True


def at_rest(stage: Stage) -> bool:
    """Of all that is visible nothing waits to be handled, laid out or drawn."""
    app = stage.app
    for screen in (*app._background_screens, app.screen):
        waiting = (
            screen._layout_required,
            screen._scroll_required,
            screen._repaint_required,
            screen._dirty_widgets,
            screen._callbacks,
        )
        if any(waiting):
            return False
        for widget in (screen, *screen.query("*")):
            if widget.message_queue_size or widget._layout_required or widget._repaint_required:
                return False
    return app.message_queue_size == 0


def says(text: str) -> Holds:
    return lambda stage: text in stage.text


def shows(text: str) -> Holds:
    """This and nothing else is on the screen."""
    return lambda stage: stage.text == text


def is_at(screen: type[object]) -> Holds:
    return lambda stage: isinstance(stage.app.screen, screen)


def has_keys(name: str) -> Holds:
    return lambda stage: stage.app.focused is not None and stage.app.focused.id == name


def cursor(place: int) -> Holds:
    return lambda stage: run(stage).view.cursor == place


def ran(line: str) -> Holds:
    """The line that ran last is this one."""

    def holds(stage: Stage) -> bool:
        step = run(stage).view.ran
        return step is not None and line in text_of(stage, step)

    return holds


def inside(line: str) -> Holds:
    """This line, of a function, is about to run."""

    def holds(stage: Stage) -> bool:
        view = run(stage).view
        return view.next_line is not None and line in view.source.splitlines()[view.next_line - 1]

    return holds


def editor(holds: Callable[[str], bool]) -> Holds:
    return lambda stage: holds(stage.editor.text)


def node(name: str) -> Holds:
    def holds(stage: Stage) -> bool:
        graph = run(stage).query_one(GraphPanel)
        return (
            graph.has_focus and graph.cursor is not None and name in graph.rows[graph.cursor].text
        )

    return holds


def row(text: str) -> Holds:
    """The cursor of the panel that has the keys is on a row with this."""

    def holds(stage: Stage) -> bool:
        rows = in_front(stage)
        return rows.cursor is not None and text in rows.rows[rows.cursor].text

    return holds


def beyond(number: int) -> Holds:
    """The cursor of the panel that has the keys is on a later row."""
    return lambda stage: (in_front(stage).cursor or 0) > number


def watched(holds: Callable[[Watch], object]) -> Holds:
    return lambda stage: bool(holds(run(stage).view.watched))


def column(stage: Stage) -> int | None:
    """Return the last step of the next column of the lanes."""
    return run(stage).query_one(LanesPanel).column_on(1)


def answered(choice: str) -> Holds:
    def holds(stage: Stage) -> bool:
        question = stage.lesson.view.question
        return question is not None and choice in question.tried

    return holds


def marked(choice: int) -> Holds:
    """The choice at this place would be given; nothing is."""

    def holds(stage: Stage) -> bool:
        return is_open(stage) and stage.lesson.query_one(QuestionPanel).marked == choice

    return holds


def is_open(stage: Stage) -> bool:
    """The question was not answered yet."""
    question = stage.lesson.view.question
    return question is not None and question.status is QuestionStatus.OPEN


def question_is_done(stage: Stage) -> bool:
    question = stage.lesson.view.question
    return question is not None and question.status not in (
        QuestionStatus.OPEN,
        QuestionStatus.AGAIN,
        QuestionStatus.CHECKING,
    )


def first_line(text: str) -> Holds:
    """The first of the lines to be put in order is this."""

    def holds(stage: Stage) -> bool:
        question = stage.lesson.view.question
        return (
            question is not None
            and isinstance(question.answers, OrderView)
            and (text in question.answers.lines[0].text)
        )

    return holds


def tensor(holds: Callable[[ValuesScreen], bool]) -> Holds:
    return lambda stage: isinstance(stage.app.screen, ValuesScreen) and holds(stage.app.screen)


def opened_lesson(identity: str) -> Holds:
    return lambda stage: (
        isinstance(stage.app.screen, LessonScreen) and stage.lesson.lesson.lesson.id == identity
    )


def at_row(number: int) -> Holds:
    return lambda stage: stage.sandbox.editor.cursor_location[0] == number


def opened_challenge(identity: str) -> Holds:
    return lambda stage: (
        isinstance(stage.app.page, ChallengeScreen)
        and stage.app.page.loaded.challenge.id == identity
    )
