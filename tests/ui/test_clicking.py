"""What is seen can be clicked, and does what a key does there.

A row says where one is, what is clicked, and what holds after the click and did not
hold before it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.geometry import Offset

from inplace_tui.common.run.program import Origin
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.course.course import Course
from inplace_tui.tutorial.course.lessons.loader import load_lesson
from inplace_tui.tutorial.ui.dialogs.palette import PaletteDialog
from inplace_tui.tutorial.ui.dialogs.path_dialog import PathDialog
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.panels import QuestionPanel
from inplace_tui.tutorial.ui.sandbox.sandbox import SandboxScreen
from inplace_tui.tutorial.ui.screens.contents import ContentsScreen
from inplace_tui.tutorial.ui.screens.lesson import LessonScreen
from inplace_tui.tutorial.ui.screens.values import ValuesScreen
from inplace_tui.tutorial.ui.widgets.find_bar import FindBar
from support.keyed import (
    COURSE,
    FREE,
    ORDER,
    Before,
    Enter,
    contents,
    do,
    drilled,
    ended,
    failed,
    in_front,
    knowing,
    lesson,
    opened_tensor,
    panel,
    run,
    shown,
    typed,
    written,
)
from support.played import AT_BACK
from support.screens import FIRST, Stage, course, opened
from support.seen import (
    Holds,
    answered,
    comes_to,
    cursor,
    editor,
    has_keys,
    inside,
    is_at,
    is_open,
    opened_lesson,
    ran,
    row,
    says,
    tensor,
)
from support.whole import sample

ASKING = load_lesson(
    AT_BACK.format(id="asking")
    + """
    ask:
      id: version
      kind: attribute
      prompt: {en: which, zh: which}
      choices:
        - {id: old, when: {tensors: {y: {version: 0}}}, text: {en: v0, zh: v0}, why: {en: n, zh: n}}
        - id: new
          when: {tensors: {y: {version: 1}}}
          text: {en: "a choice in so many words that there must be a second row to be-read", zh: v1}
          why: {en: y, zh: y}
      hints: [{en: first hint, zh: h1}]
recap: {en: recap, zh: recap}
""",
    "asking.yaml",
    origin=Origin.BUILT_IN,
)


@dataclass(frozen=True)
class Click:
    """A click on a text, in all that is seen or in one widget, a few cells on from its start."""

    text: str
    within: str = "Screen"
    on: int = 0
    below: int = 0
    """Lines down from there."""

    async def __call__(self, stage: Stage) -> None:
        """Click on the last place where it stands."""
        assert await stage.pilot.click(offset=self._place(stage))
        await stage.pilot.pause()

    def _place(self, stage: Stage) -> Offset:
        top = stage.app.screen
        region = (top if self.within == "Screen" else top.query_one(self.within)).region
        for y in reversed(region.line_range):
            at = stage.lines[y].rfind(self.text)
            place = Offset(cell_len(stage.lines[y][:at]) + self.on, y)
            if at >= 0 and region.contains_point(place):
                return place + Offset(0, self.below)
        raise AssertionError(f"no {self.text} in\n{stage.text}")


@dataclass(frozen=True)
class Case:
    """Where one is, what is done there, and what the last click of it does."""

    at: Enter
    clicks: Sequence[Before | Click]
    then: Holds = field(kw_only=True)


def zoomed(name: str | None) -> Holds:
    return lambda stage: run(stage).zoomed == name


def searched(stage: Stage) -> bool:
    return in_front(stage).typed is None


def replacing(stage: Stage) -> bool:
    return stage.app.screen.query_one(FindBar).has_class("-replacing")


def scrolled(stage: Stage) -> bool:
    return bool(stage.app.screen.query_one(".dialog Choices").scroll_offset.y)


def focused(kind: str) -> Holds:
    return lambda stage: type(stage.app.focused).__name__ == kind


def place(number: int) -> Holds:
    return lambda stage: stage.lesson.query_one(QuestionPanel).place == number


def of_panels(home: Path) -> list[Case]:
    del home
    return [
        Case(shown(), [Click("n next", "#keys")], then=cursor(0)),
        Case(shown(), [Click("z.add_(1)", "#code")], then=inside("z.add_(1)")),
        Case(ended, ["N", Click("start", "#strip")], then=cursor(-1)),
        Case(panel("timeline"), [Click("z.mul_", "#timeline")], then=ran("z.mul_(2)")),
        Case(panel("lanes"), [Click("odd", "#lanes")], then=has_keys("state")),
        Case(panel("graph"), [Click("ExpBackward0", "#graph")], then=row("y = double")),
        Case(failed, ["2", Click("! result", "#graph")], then=row("add_")),
        Case(panel("graph"), ["/", *"Exp", Click("Esc close", on=4)], then=searched),
        Case(ended, [*2 * (Click("no    16", "#state"),)], then=is_at(ValuesScreen)),
        Case(ended, [Click("Tensors")], then=zoomed("state")),
        Case(ended, [Click("Tensors"), Click("Tensors")], then=zoomed(None)),
        Case(ended, [Click("Output"), Click("Output")], then=zoomed("output")),
        Case(failed, [Click("its result", "#why")], then=row("x.exp()")),
        Case(failed, ["x", Click("Esc closes")], then=is_at(SandboxScreen)),
        Case(ended, ["Y", Click("The timeline")], then=is_at(PathDialog)),
        Case(
            opened_tensor("z"), [Click("16.7781", "#values")], then=tensor(lambda it: it.place == 1)
        ),
        Case(opened_tensor("z"), [Click("Esc leave")], then=is_at(SandboxScreen)),
    ]


def of_questions(home: Path) -> list[Case]:
    del home
    asking = lesson("asking", asks=True)
    return [
        Case(contents, [Click("First steps")], then=opened_lesson("first-steps")),
        Case(contents, [Click("Contents", "#title")], then=is_at(PaletteDialog)),
        Case(contents, ["?", Click("Search all commands")], then=is_at(PaletteDialog)),
        Case(contents, [":", *"firs", Click("First steps")], then=opened_lesson("first-steps")),
        Case(contents, [":", Click("Esc closes", ".dialog")], then=is_at(ContentsScreen)),
        Case(lesson("free"), ["v", "?", Click("Go back.")], then=is_at(LessonScreen)),
        Case(lesson("free"), ["?", "pagedown", Click("1 2 3 4", on=6)], then=has_keys("output")),
        Case(asking, [Click("a-b mark", "#keys")], then=row("v0")),
        Case(asking, [*2 * (Click("be-read", "#question"),)], then=answered("new")),
        Case(asking, [Click("H hint", "#question")], then=says("first hint")),
        Case(
            asking,
            [Click("v0", "#question"), Click("Enter answers", "#question")],
            then=answered("old"),
        ),
        Case(lesson("free"), [Click("1-6 panel", "#keys")], then=has_keys("narration")),
        Case(asking, [Click("Esc later", "#question")], then=lambda stage: not is_open(stage)),
        Case(lesson("order", asks=True), [Click("y.backward", "#question")], then=place(2)),
        Case(lesson("free"), [":", Click("▐", ".dialog", below=5)], then=scrolled),
        Case(lesson("free"), ["v", Click("y.data.add_(1)")], then=says("variant: v")),
        Case(drilled, [*2 * (Click("Runs, and every"),)], then=says("How sure")),
        Case(
            drilled,
            ["a", "enter", "a", "enter", Click("next program", "#question")],
            then=says("What will"),
        ),
    ]


def of_the_sandbox(home: Path) -> list[Case]:
    file = home / "mine.py"
    mine = written(file, "import torch\ntor\n")
    unsaved: list[Before] = [typed("new"), "escape", "escape"]
    return [
        Case(mine, ["ctrl+f", Click("Tab", "#editor")], then=replacing),
        Case(mine, ["ctrl+f", *"tor", Click("Esc", "#editor")], then=focused("Editor")),
        Case(
            mine,
            ["down", "end", "ctrl+@", Click("torch ")],
            then=editor(lambda text: "\ntorch\n" in text),
        ),
        Case(mine, ["escape", "O", Click("Esc closes", on=2)], then=is_at(SandboxScreen)),
        Case(mine, [*unsaved, Click("leave without")], then=is_at(ContentsScreen)),
        Case(mine, [*unsaved, Click("", on=1)], then=is_at(SandboxScreen)),
    ]


PLACES = (of_panels, of_questions, of_the_sandbox)


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("cases", PLACES, ids=lambda place: place.__name__)
@pytest.mark.whole(every=3)
async def test_each_click_does_what_the_key_does(
    worker: Worker, tmp_path: Path, cases: Callable[[Path], list[Case]]
) -> None:
    """A row holds after the click, and did not before it."""
    missed = []
    lessons = Course(course((FIRST, ASKING, ORDER, FREE)).chapters, (), COURSE.challenges)
    told = await knowing(worker)
    async with opened(Opening(), tmp_path, size=(120, 40), lessons=lessons, worker=told) as stage:
        for case in sample(cases(tmp_path), 5):
            await case.at(stage)
            *before, last = case.clicks
            for each in before:
                await (each(stage) if isinstance(each, Click) else do(stage, each))
            if case.then(stage):
                missed.append(f"held before {last}")
                continue
            assert isinstance(last, Click)
            await last(stage)
            if not await comes_to(stage, case.then):
                missed.append(f"{last} does not do it:\n{stage.text}")
    assert not missed, "\n".join(missed)
