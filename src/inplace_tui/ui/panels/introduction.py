"""The introduction's next task, above the program it is done with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inplace_tui.engine.introduction import TASKS, Introduction, Task
from inplace_tui.engine.session.view import View
from inplace_tui.present.cells import wrapped
from inplace_tui.present.narration import spans
from inplace_tui.present.rows import Row
from inplace_tui.texts import say
from inplace_tui.texts.introduction import TASK_TEXTS, IntroductionTexts
from inplace_tui.ui.keys import find
from inplace_tui.ui.panels.panel import Panel

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
        action = find(identity)
        assert action is not None, "tasks name actions that exist"
        return self.keys.get(identity, action.key)
