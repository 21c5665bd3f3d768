"""Every action of the table does what it says, by each of its keys.

A row says where one is, what was pressed before, and what holds after the key and did
not hold before it. An action that nobody wrote a row for fails the last test.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.ui.dialogs.dialog import AskDialog, PromptDialog
from inplace_tui.tutorial.ui.dialogs.help import HelpDialog
from inplace_tui.tutorial.ui.dialogs.op_card import OpCardDialog
from inplace_tui.tutorial.ui.dialogs.palette import PaletteDialog
from inplace_tui.tutorial.ui.dialogs.path_dialog import PathDialog
from inplace_tui.tutorial.ui.dialogs.program_dialog import ProgramDialog
from inplace_tui.tutorial.ui.keymap import USUAL
from inplace_tui.tutorial.ui.keys import Action, find
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.panels import PANELS, GraphPanel, TensorTable
from inplace_tui.tutorial.ui.run.exporting import ExportDialog
from inplace_tui.tutorial.ui.run.fixing import FixesDialog
from inplace_tui.tutorial.ui.sandbox.challenge import SolutionDialog
from inplace_tui.tutorial.ui.sandbox.sandbox import SandboxScreen
from inplace_tui.tutorial.ui.screens.contents import ContentsScreen
from inplace_tui.tutorial.ui.screens.desk import DeskScreen
from inplace_tui.tutorial.ui.screens.introduction import IntroductionScreen
from inplace_tui.tutorial.ui.screens.lesson import HoldsDialog, LessonScreen, VariantsDialog
from inplace_tui.tutorial.ui.screens.playlist import PlaylistScreen
from inplace_tui.tutorial.ui.screens.values import ValuesScreen
from inplace_tui.tutorial.ui.screens.welcome import WelcomeScreen
from inplace_tui.tutorial.ui.theme import THEMES
from inplace_tui.tutorial.ui.widgets.find_bar import FindBar
from support.desks import FIXED, KnownCase, desk
from support.keyed import (
    COURSE,
    LONG,
    Before,
    Enter,
    after,
    contents,
    do,
    drilled,
    ended,
    failed,
    knowing,
    lesson,
    opened_tensor,
    panel,
    run,
    shown,
    table,
    tried,
    typed,
    written,
)
from support.screens import Stage, opened
from support.seen import (
    Holds,
    at_row,
    beyond,
    column,
    comes_to,
    cursor,
    editor,
    first_line,
    has_keys,
    inside,
    is_at,
    is_open,
    marked,
    node,
    opened_challenge,
    opened_lesson,
    question_is_done,
    ran,
    says,
    tensor,
    watched,
)
from support.views import SOURCE
from support.whole import sample

# What is done before.


def to(row: int, column: int = 0) -> Callable[[Stage], None]:
    """Put the editor's cursor there."""
    return lambda stage: stage.sandbox.editor.move_cursor((row, column))


# The table.


@dataclass(frozen=True)
class Case:
    """One action at one place."""

    action: str
    at: Enter
    then: Holds
    first: Sequence[Before] = field(default=())


def stepping(home: Path) -> list[Case]:
    del home
    middle, call = after("odd ="), after("x = torch.ones")
    return [
        Case("next", shown(), ran("import torch")),
        Case("back", shown(), ran("net ="), [middle]),
        Case("into", shown(), ran("y = x * 2"), [call]),
        Case("out", shown(), ran("y = double(x)"), [call, "s"]),
        Case("to_call", shown(), inside("y = double(x)"), [call, "s"]),
        Case("to_return", shown(), ran("return y"), [after("y = double(x)")]),
        Case("continue", shown(), ran("print(")),
        Case("continue_back", ended, cursor(-1)),
        Case("start", ended, cursor(-1)),
        Case("end", shown(), ran("print(")),
        Case("restart", ended, lambda stage: len(stage.worker.asked) == 2),
        Case("last_write", table("z"), ran("z.mul_(2)")),
        Case("next_write", table("z"), ran("z.add_(1)"), [after("z = y")]),
        Case("goto", shown(), is_at(PromptDialog)),
        Case("scrub", shown(), cursor(0)),
        Case("scrub_back", shown(), ran("net ="), [middle]),
        Case("lanes_in", shown(LONG), lambda stage: column(stage) == 15),
        Case("lanes_out", shown(LONG), lambda stage: column(stage) != 15, ["plus"]),
    ]


def panels(home: Path) -> list[Case]:
    del home
    return [
        *(Case(f"panel.{number}", ended, has_keys(name)) for number, name in enumerate(PANELS, 1)),
        Case("next_panel", ended, has_keys("narration")),
        Case("previous_panel", ended, has_keys("narration"), ["1"]),
        Case("why", ended, has_keys("why")),
        Case("fixes", failed, is_at(FixesDialog)),
        Case("to_node", ended, node("ExpBackward0"), [after("y = double(x)")]),
        Case("zoom", ended, lambda stage: run(stage).zoomed == "state", ["1"]),
        Case("leave", ended, lambda stage: run(stage).zoomed is None, ["1", "z"]),
        Case("leave", ended, is_at(ContentsScreen)),
        Case("copy", ended, lambda stage: "z.mul_(2)" in stage.app.clipboard),
        Case("export", ended, is_at(ExportDialog)),
        Case("pointers", ended, lambda stage: run(stage).query_one(TensorTable).pointers, ["1"]),
        Case("open_tensor", table("z"), is_at(ValuesScreen)),
        Case("pin", table("z"), watched(lambda it: it.pinned == ("z",))),
        Case("modules", ended, watched(lambda it: it.without_modules)),
        Case("choose_row", panel("state"), is_at(ValuesScreen)),
        Case(
            "search",
            panel("graph"),
            lambda stage: run(stage).query_one(GraphPanel).typed is not None,
        ),
        Case("next_match", panel("graph"), beyond(2), [*"/View", "escape"]),
        Case("previous_match", panel("graph"), beyond(2), [*"/View", "escape"]),
        Case("gradient", opened_tensor("z"), tensor(lambda it: it.with_grad)),
        Case("plane_after", opened_tensor("odd"), tensor(lambda it: it.spot.lead == 1)),
        Case("plane_before", opened_tensor("odd"), tensor(lambda it: it.spot.lead == 1)),
        Case("odd", opened_tensor("odd"), tensor(lambda it: it.place == 2)),
        Case("open_tensor", opened_tensor("z"), is_at(SandboxScreen)),
        Case("leave", opened_tensor("z"), is_at(SandboxScreen)),
    ]


def sandbox(home: Path) -> list[Case]:
    file = home / "mine.py"
    unrun, mine = written(file), written(file, "import torch\ntor\ntor\n")
    leave = "escape"
    return [
        Case("type", ended, lambda stage: stage.sandbox.editor.has_focus),
        Case("save", unrun, lambda _: file.read_text() == "new", [typed("new"), leave]),
        Case("save_as", unrun, is_at(PathDialog), [leave]),
        Case("open", unrun, is_at(ProgramDialog), [leave]),
        Case("run", unrun, ran("print(")),
        Case("find", mine, lambda stage: stage.app.screen.query_one(FindBar).is_open),
        Case("find_next", mine, at_row(2), ["ctrl+f", *"tor", "enter", "escape"]),
        Case("complete", mine, lambda it: "torch" in it.sandbox.editor.completions, [to(1, 3)]),
        Case("comment", mine, editor(lambda text: text.startswith("# import"))),
        Case("op", ended, is_at(OpCardDialog), ["g", "n", "n"]),
    ]


def lessons(home: Path) -> list[Case]:
    del home
    order, six = lesson("order", asks=True), lesson("six", asks=True)
    return [
        *(Case(f"choice.{n}", six, marked(n - 1)) for n in range(1, 7)),
        Case("line_up", order, first_line("y.add_"), ["b"]),
        Case("line_down", order, first_line("y.add_"), ["a"]),
        Case("commit", order, lambda stage: not is_open(stage)),
        Case("guess", order, lambda stage: not is_open(stage)),
        Case("hint", six, says("first hint")),
        Case("answer", six, question_is_done),
        Case(
            "question", six, lambda stage: stage.lesson.view.question is not None, ["escape", "G"]
        ),
        Case("variants", lesson("free"), is_at(VariantsDialog)),
        Case("holds", lesson("free"), is_at(HoldsDialog)),
        Case("mend", lesson("free"), opened_challenge("free/mend")),
        Case("edit", lesson("free"), is_at(SandboxScreen)),
        Case("present", lesson("free"), says("presented")),
        Case("present", lesson("free"), lambda stage: not stage.app.presenting),
        Case("next_lesson", lesson("free"), opened_lesson("last-words")),
        Case("previous_lesson", lesson("free"), opened_lesson("order")),
    ]


def challenges(home: Path) -> list[Case]:
    del home
    return [
        Case("hint.challenge", tried, says("first hint")),
        Case("answer.challenge", tried, is_at(SolutionDialog)),
        Case("reset", tried, editor(lambda text: text.startswith("x = make()")), [typed("new")]),
        Case("next_challenge", tried, opened_challenge("write-again")),
    ]


def drills(home: Path) -> list[Case]:
    del home
    told = ["a", "enter", "a", "enter"]
    return [
        Case("commit", drilled, says("sure"), ["a"]),
        Case("next_drill", drilled, lambda stage: "What will" in stage.text, told),
        Case("taught", drilled, is_at(LessonScreen), told),
    ]


def everywhere(home: Path) -> list[Case]:
    return [
        Case("open_lesson", contents, opened_lesson("saved-output"), ["down"]),
        Case("filter", contents, says("8 listed"), []),
        Case("resume", contents, opened_lesson("first-steps")),
        Case("review", contents, says("Nothing to review today.")),
        Case("drill", contents, is_at(PlaylistScreen)),
        Case("ask.contents", contents, is_at(ProgramDialog)),
        Case("sandbox", contents, is_at(SandboxScreen)),
        Case("challenges", contents, says("Bring y to version 1.")),
        Case("library", contents, says("This course has no paths.")),
        Case("introduction", contents, is_at(WelcomeScreen)),
        Case("paths", contents, says("This course has no paths.")),
        Case("theme", contents, lambda stage: stage.app.theme == THEMES[1].name),
        Case("commands", contents, is_at(PaletteDialog)),
        Case("commands", ended, is_at(PaletteDialog)),
        Case("help", contents, is_at(HelpDialog)),
        Case("help", ended, is_at(HelpDialog)),
        Case("quit", written(home / "mine.py"), is_at(AskDialog), [typed("new"), "escape"]),
        Case("language", contents, says("目录")),  # the last: nobody switches back
    ]


async def welcomed(stage: Stage) -> None:
    """Open the welcome, at its first step."""
    await contents(stage)
    stage.app.open_welcome()
    await stage.until(lambda: isinstance(stage.app.page, WelcomeScreen))


def welcome(home: Path) -> list[Case]:
    del home
    return [
        Case("onward", welcomed, says("2/4")),
        Case("backward", welcomed, says("1/4"), ["n"]),
        Case("learn", welcomed, is_at(IntroductionScreen)),
        Case("ask", welcomed, is_at(ProgramDialog)),
        Case("play", welcomed, is_at(SandboxScreen)),
        Case("leave.welcome", welcomed, is_at(ContentsScreen)),
    ]


def write(script: Path) -> None:
    script.write_text(SOURCE, encoding="utf-8")


def desks(home: Path) -> list[Case]:
    script = home / "fails.py"

    def holds(source: str) -> Holds:
        return lambda _: script.read_text(encoding="utf-8") == source

    async def at(stage: Stage) -> None:
        await contents(stage)
        write(script)
        await desk(stage, script)

    def asked_again(stage: Stage) -> bool:
        page = stage.app.page
        assert isinstance(page, DeskScreen)
        assert isinstance(page.investigation, KnownCase)
        return page.investigation.asked > 1

    def focus(name: str) -> Holds:
        return lambda stage: stage.app.focused is not None and stage.app.focused.id == name

    def leads_to(lesson: str) -> Holds:
        found = COURSE.find(lesson)
        assert found is not None
        title = found.lesson.title.en
        return lambda stage: isinstance(stage.app.screen, AskDialog) and title in stage.text

    return [
        *(Case(f"take.{n}", at, holds(fixed)) for n, fixed in enumerate(FIXED, 1)),
        Case("undo", at, holds(SOURCE), ["1"]),
        Case("rerun", at, asked_again),
        Case("stepping", at, is_at(SandboxScreen)),
        Case("edit.desk", at, is_at(SandboxScreen)),
        Case("write_page", at, lambda _: (home / "fails.html").exists()),
        Case("about", at, leads_to("saved-output")),
        Case("why.desk", at, lambda stage: "each run to its end" not in stage.text),
        Case("whole", at, lambda stage: "What happened" not in stage.text),
        Case("next_box", at, focus("lane")),
        Case("previous_box", at, focus("happened")),
        Case("leave.desk", at, is_at(ContentsScreen)),
    ]


PLACES = (stepping, panels, sandbox, lessons, challenges, drills, welcome, desks, everywhere)


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("cases", PLACES, ids=lambda place: place.__name__)
@pytest.mark.whole(every=4)
async def test_each_key_does_what_its_action_says(
    worker: Worker,
    tmp_path: Path,
    cases: Callable[[Path], list[Case]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A row holds after the key, and did not before it."""
    monkeypatch.chdir(tmp_path)
    missed = []
    told = await knowing(worker)
    async with opened(Opening(), tmp_path, size=(120, 40), lessons=COURSE, worker=told) as stage:
        for case in sample(cases(tmp_path), 5):
            action = find(case.action)
            assert action is not None, case.action
            for key in action.keys or ("the palette",):
                await case.at(stage)
                for before in case.first:
                    await do(stage, before)
                if case.then(stage):
                    missed.append(f"{case.action}: held before {key}")
                    continue
                await press(stage, action, key)
                if not await comes_to(stage, case.then):
                    missed.append(f"{case.action}: {key} does not do it")
    assert not missed, "\n".join(missed)


async def press(stage: Stage, action: Action, key: str) -> None:
    """Press the key, or choose the action in the palette where it has none."""
    if action.keys:
        await stage.press(key)
        return
    await stage.press("colon")
    await stage.press(*("space" if each == " " else each for each in action.label("en")))
    await stage.until(lambda: stage.text.count(action.label("en")) > 1)  # typed, and found
    await stage.press("enter")


def test_no_action_is_left_out(tmp_path: Path) -> None:
    """Each has a row, and no row is of an action that is no more."""
    assert {case.action for place in PLACES for case in place(tmp_path)} == set(USUAL)
