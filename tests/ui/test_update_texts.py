"""Whatever is in front when the language changes says the same as if it had been opened then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from textual.screen import Screen

from inplace_tui.common.texts.quiz import QuizTexts
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.present.playlist import QuizResult
from inplace_tui.tutorial.ui.dialogs.dialog import (
    AskDialog,
    Dialog,
    FieldDialog,
    NumberedDialog,
    PromptDialog,
    RowsDialog,
)
from inplace_tui.tutorial.ui.dialogs.help import HelpDialog
from inplace_tui.tutorial.ui.dialogs.op_card import OpCardDialog
from inplace_tui.tutorial.ui.dialogs.palette import PaletteDialog
from inplace_tui.tutorial.ui.dialogs.path_dialog import PathDialog
from inplace_tui.tutorial.ui.dialogs.paths import PathsDialog
from inplace_tui.tutorial.ui.dialogs.program_dialog import ProgramDialog
from inplace_tui.tutorial.ui.opening import Opening
from inplace_tui.tutorial.ui.run.exporting import ExportDialog
from inplace_tui.tutorial.ui.run.fixing import FixesDialog
from inplace_tui.tutorial.ui.sandbox.challenge import SolutionDialog
from inplace_tui.tutorial.ui.sandbox.sandbox import SandboxScreen
from inplace_tui.tutorial.ui.screens.introduction import IntroductionScreen
from inplace_tui.tutorial.ui.screens.lesson import HoldsDialog, LessonScreen, VariantsDialog
from inplace_tui.tutorial.ui.screens.playlist import ResultDialog
from inplace_tui.tutorial.ui.screens.values import ValuesScreen
from inplace_tui.tutorial.ui.screens.welcome import WelcomeScreen
from support.keyed import (
    COURSE,
    Before,
    Enter,
    contents,
    do,
    ended,
    failed,
    knowing,
    lesson,
    opened_tensor,
    tried,
    typed,
    written,
)
from support.screens import Stage, opened
from support.seen import at_rest, comes_to, is_at, shows
from support.whole import sample


def anew(at: Enter) -> Enter:
    """There, on a page of which nothing is kept."""

    async def enter(stage: Stage) -> None:
        await contents(stage)
        await at(stage)

    return enter


async def result(stage: Stage) -> None:
    await contents(stage)
    missed = ("saved-output/will-it-run", "drill/1-1-7")
    stage.app.push_screen(ResultDialog(QuizResult(7, 9, missed, (8, 9)), QuizTexts.review))


async def which_path(stage: Stage) -> None:
    await contents(stage)
    assert stage.app.catalogue is not None
    stage.app.push_screen(PathsDialog(stage.app.catalogue))


Way = tuple[Enter, Sequence[Before], type[Screen[Any]]]


def ways(home: Path) -> dict[str, Way]:
    """By what is in front: how one comes there, and its kind."""
    mine = written(home / "mine.py", "import torch\ntor\n")
    unsaved: list[Before] = [typed("new"), "escape", "escape"]
    return {
        "palette": (contents, [":", "t"], PaletteDialog),
        "palette, nothing found": (contents, [":", *"qq"], PaletteDialog),
        "help": (lesson("free"), ["?"], HelpDialog),
        "help on a sheet": (ended, ["Y", "?"], HelpDialog),
        "variants": (lesson("free"), ["v"], VariantsDialog),
        "holds": (lesson("free"), ["h"], HoldsDialog),
        "fixes": (anew(failed), ["x"], FixesDialog),
        "op": (ended, ["g", "n", "n", "I"], OpCardDialog),
        "result": (result, [], ResultDialog),
        "paths": (which_path, [], PathsDialog),
        "export": (ended, ["Y"], ExportDialog),
        "go to, nothing typed": (ended, ["#", "enter"], PromptDialog),
        "path": (ended, ["Y", "2"], PathDialog),
        "path, nothing found": (ended, ["Y", "2", *"qq", "tab"], PathDialog),
        "program, not there": (mine, ["escape", "O", *"qq", "enter"], ProgramDialog),
        "solution": (tried, ["A"], SolutionDialog),
        "question": (mine, unsaved, AskDialog),
        "replace": (mine, ["ctrl+f", *"zz", "tab"], SandboxScreen),
        "values": (opened_tensor("odd"), [], ValuesScreen),
        "introduction": (contents, ["I", "l", "n"], IntroductionScreen),
        "welcome": (contents, ["I", "n"], WelcomeScreen),
    }


async def come(stage: Stage, way: Way, language: str) -> str:
    """Come there, and return what is seen."""
    at, keys, kind = way
    stage.app.language = language
    await at(stage)
    for key in keys:
        await do(stage, key)
        if isinstance(stage.app.page, LessonScreen | SandboxScreen):
            await stage.ran()
    there = is_at(kind)
    arrived = await comes_to(stage, lambda stage: there(stage) and at_rest(stage))
    return stage.text if arrived else f"no {kind}:\n{stage.text}"


def every(kind: type[Any]) -> Iterator[type[Any]]:
    """Yield the kinds of dialogs that are opened."""
    if kind not in (Dialog, RowsDialog, FieldDialog, NumberedDialog):
        yield kind
    for each in kind.__subclasses__():
        yield from every(each)


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.whole
async def test_what_is_open_is_told_in_another_language(worker: Worker, tmp_path: Path) -> None:
    told, missed = await knowing(worker), []
    async with opened(Opening(), tmp_path, lessons=COURSE, worker=told) as stage:
        for name, way in sample(ways(tmp_path).items(), 6):
            in_english = await come(stage, way, "en")
            expected = await come(stage, way, "zh")
            await come(stage, way, "en")
            stage.app.language = "zh"
            same = await comes_to(stage, shows(expected))
            if in_english == expected or not same:
                missed.append(f"{name}:\n{stage.text}\nexpected:\n{expected}")
    assert not missed, "\n".join(missed)


def test_no_dialog_is_left_out(tmp_path: Path) -> None:
    assert set(every(Dialog)) <= {kind for _, _, kind in ways(tmp_path).values()}
