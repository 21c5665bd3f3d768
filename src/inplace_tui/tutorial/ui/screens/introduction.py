"""The introduction: a lesson of one minute about the screen itself, learnt by doing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from textual import on
from textual.content import Content
from textual.events import DescendantFocus
from textual.widget import Widget

from inplace_tui.common import paths
from inplace_tui.common.cells import wrapped
from inplace_tui.common.rows import Row, spans
from inplace_tui.common.run.program import Origin
from inplace_tui.common.run.step import Mutation
from inplace_tui.common.texts import say
from inplace_tui.common.texts.introduction import TASK_TEXTS, IntroductionTexts
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.course.introduction import TASKS, Introduction, ScreenState, Task
from inplace_tui.tutorial.course.lessons.loader import load_lesson
from inplace_tui.tutorial.course.lessons.strict_yaml import decode
from inplace_tui.tutorial.drive.lessons import read
from inplace_tui.tutorial.drive.session_runner import SessionRunner
from inplace_tui.tutorial.ui.arrangement import Needs
from inplace_tui.tutorial.ui.keymap import live_keys
from inplace_tui.tutorial.ui.keys import Where, bindings
from inplace_tui.tutorial.ui.panels.panel import Panel
from inplace_tui.tutorial.ui.screens.asking import AfterLesson, AskingScreen, to_lesson
from inplace_tui.tutorial.ui.screens.contents import open_entry
from inplace_tui.tutorial.ui.widgets.bars import Bar

_NOT_HERE = ("variants", "holds", "mend", "present")
"""Actions of a lesson of the course."""

AFTERWARDS = ("help", "commands", "next_lesson")
"""The actions that are named when all is done."""


class IntroductionPanel(Panel):
    """Says what to press now, with the keys as they are bound."""

    TITLE = IntroductionTexts.over

    def __init__(self, introduction: Introduction, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.introduction = introduction
        self.keys: Mapping[str, str] = {}
        """By the id of an action, its key as people write it."""

    def show(self, view: View, language: str) -> None:
        self.view, self.language = view, language
        total = self.introduction.total
        place = min(self.introduction.place + 1, total)
        self.set_title(say(IntroductionTexts.title, language, place=place, total=total))
        self.redraw()

    def rows_of(self, view: View, width: int) -> Sequence[Row]:  # noqa: ARG002
        return self._rows(self.introduction.task, width)

    def most_rows(self, width: int) -> int:
        """Return the rows of the longest task: what is below stays where it is."""
        return max(len(self._rows(task, width)) for task in (*TASKS, None))

    def _rows(self, task: Task | None, width: int) -> list[Row]:
        name, actions = ("done", AFTERWARDS) if task is None else (task.name, task.actions)
        text = say(TASK_TEXTS[name], self.language, keys=[self._key(each) for each in actions])
        return wrapped(spans(text), width)

    def _key(self, identity: str) -> str:
        """Return the key of an action; one that is not live now has its usual one."""
        return self.keys.get(identity, self.key_labels[identity])


class IntroductionScreen(AskingScreen):
    """A lesson with somebody who says what to press next."""

    BINDINGS = bindings(Where.RUN, Where.LESSON)
    ABOVE = ("task",)

    def __init__(self, worker: Worker) -> None:
        """Open it, to run in this worker.

        Raises:
            LessonError: its file is not in order.
            OSError: it can't be read.
        """
        path, shown = paths.introduction(), paths.introduction().as_posix()
        lesson = load_lesson(decode(read(path), shown), shown, origin=Origin.BUILT_IN)
        # A lesson outside of the course: no progress is kept of it.
        super().__init__(SessionRunner(Session(lesson), worker))
        self.lesson = lesson
        self._introduction = Introduction()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action not in _NOT_HERE and super().check_action(action, parameters)

    def reached(self, listed: Iterable[str]) -> str:
        return next(iter(listed), "")

    def base_name(self) -> str:
        return self.lesson.lesson.id

    def compose_more(self) -> list[Widget]:
        return [IntroductionPanel(self._introduction, id="task")]

    def prepare_view(self) -> None:
        """See how far the learner is, and which keys lead on."""
        view = self.current_view()
        self._introduction.update(
            ScreenState(
                cursor=view.cursor,
                wrote=any(
                    isinstance(event, Mutation)
                    for step in islice(view.timeline, view.cursor + 1)
                    for event in step.events
                ),
                panel=None if self.focused is None else self.focused.id,
                zoomed=self.zoomed is not None,
                asked=view.awaits_answer,
                answered=view.question_is_done,
            )
        )
        coach = self.query_one(IntroductionPanel)
        coach.keys = {action.id: key for action, key in live_keys(self.screen).items()}

    @on(DescendantFocus)
    def _panel_chosen(self) -> None:
        self.refresh_view()

    def adjust(self, needs: Needs, view: View) -> Needs:  # noqa: ARG002  (of others)
        room = max(20, self.size.width - 4)
        rows = self.query_one(IntroductionPanel).most_rows(room)
        return replace(needs, task_rows=rows, task_stays=True)

    def show_title(self) -> None:
        left = [Content.styled(self.lesson.lesson.title[self.language], "bold")]
        if self.size.width >= 60:
            left.insert(0, Content.styled(self.say(ScreenTexts.brand), "bold $primary"))
        self.query_one("#title", Bar).show(Content("  ").join(left), self.progress_text(self.view))

    def begin(self) -> None:
        """Say at once that it need not be; it is not opened by itself again.

        It tells of all panels, so they are there; columns are those of the first lesson.
        """
        super().begin()
        self.panel_layout.waiting.clear()
        self.panel_layout.empty.clear()
        self.refresh_view()
        self.host.keep(self.host.learner.save_introduced)
        keys = self.host.keymap.labels
        self.note(IntroductionTexts.skip, key=keys["leave"], again=keys["introduction"])

    def following(self) -> AfterLesson | None:
        catalogue = self.host.catalogue
        return None if catalogue is None else to_lesson(catalogue.suggested)

    def action_next_lesson(self) -> None:
        following = self.following()
        if following is None:
            self.go_away()
        else:
            open_entry(self, following.entry)

    def action_previous_lesson(self) -> None:
        self.note(ScreenTexts.first_lesson)
