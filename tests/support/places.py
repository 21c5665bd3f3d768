"""Every screen and dialog of the program on a terminal: how one comes there, and what is drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textual.screen import Screen

from inplace_tui.tutorial.activity.session.saved import QuestionStatus, SavedAnswer, SaveProgress
from inplace_tui.tutorial.progress import Progress
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
from inplace_tui.tutorial.ui.run.exporting import ExportDialog
from inplace_tui.tutorial.ui.run.fixing import FixesDialog
from inplace_tui.tutorial.ui.sandbox.challenge import ChallengeScreen, SolutionDialog
from inplace_tui.tutorial.ui.sandbox.editor_screen import EditorScreen
from inplace_tui.tutorial.ui.sandbox.sandbox import SandboxScreen
from inplace_tui.tutorial.ui.screens.asking import AskingScreen
from inplace_tui.tutorial.ui.screens.contents import ContentsScreen
from inplace_tui.tutorial.ui.screens.desk import DeskScreen
from inplace_tui.tutorial.ui.screens.introduction import IntroductionScreen
from inplace_tui.tutorial.ui.screens.lesson import HoldsDialog, LessonScreen, VariantsDialog
from inplace_tui.tutorial.ui.screens.page import Page
from inplace_tui.tutorial.ui.screens.playlist import PlaylistScreen, ResultDialog
from inplace_tui.tutorial.ui.screens.run_screen import RunScreen
from inplace_tui.tutorial.ui.screens.values import ValuesScreen
from inplace_tui.tutorial.ui.screens.welcome import WelcomeScreen
from support.packs import write_pack
from support.terminal import Terminal

BASES = (
    *(Page, RunScreen, AskingScreen, EditorScreen),
    *(Dialog, RowsDialog, FieldDialog, NumberedDialog),
)
"""Kinds of screens of which none is opened."""

REVIEWED = ("saved-output", "will-it-run")
"""A lesson and its question."""

FAILS = """\
import torch
x = torch.ones(2, requires_grad=True)
y = x.exp()
y.add_(1)
y.sum().backward()
"""


def opened_kinds(kind: type[Any] = Screen) -> Iterator[type[Any]]:
    """Yield our kinds of screens and dialogs that are opened."""
    if kind.__module__.startswith("inplace_tui") and kind not in BASES:
        yield kind
    for each in kind.__subclasses__():
        yield from opened_kinds(each)


@dataclass(frozen=True)
class Place:
    """A screen or a dialog."""

    kind: type[Screen[Any]]
    steps: tuple[str, ...]
    """What is drawn, the keys that are pressed then, what is drawn of that, and so on."""

    arguments: tuple[str, ...] = ()
    is_due: bool = False
    """Whether the learner has a question to review."""

    def prepare(self, folder: Path) -> None:
        """Make the files that the arguments name, and what the learner did before."""
        (folder / "fails.py").write_text(FAILS, encoding="utf-8")
        write_pack(folder / "theirs", "theirs")
        if self.is_due:
            wrong = SavedAnswer(question=REVIEWED[1], tried=("wrong",), status=QuestionStatus.WRONG)
            saved = SaveProgress(lesson=REVIEWED[0], cursor=0, answers=(wrong,), finished=True)
            Progress(folder / "home" / "progress.json", lambda: 1).save(saved)

    def come(self, terminal: Terminal) -> None:
        """Come there from the beginning of the program."""
        for place, step in enumerate(self.steps):
            if place % 2:
                terminal.forget()
                terminal.type(step)
            else:
                terminal.wait_for(step)


_CONTENTS = ("Welcome", "\x1b", "Press d")
_LESSON = ("lesson", "saved-output")
_PREDICTED = ("step 0", "c", "? 5", "n", "Answer the question", "d\r", "RuntimeError in backward")
_CHALLENGE = ("challenge", "break-sigmoid")
_SANDBOX = ("sandbox",)
_FILE = ("sandbox", "fails.py")
_EMPTY = "Ctrl-R runs it"
_RUN = ("\x12", "Fixes that were run")
_FAILED = ("Ctrl-R", "\x12", "RuntimeError in backward")

PLACES = {
    "welcome": Place(WelcomeScreen, ("Welcome",)),
    "contents": Place(ContentsScreen, _CONTENTS),
    "desk": Place(DeskScreen, ("write fix",), ("fails.py",)),
    "lesson": Place(LessonScreen, ("step 0",), _LESSON),
    "editor": Place(SandboxScreen, (_EMPTY,), _SANDBOX),
    "palette": Place(PaletteDialog, (*_CONTENTS, ":", "Enter or a click does it")),
    "introduction": Place(IntroductionScreen, (*_CONTENTS, "I", "Welcome", "l", "in one minute")),
    "challenge": Place(ChallengeScreen, ("the shortest solution",), _CHALLENGE),
    "drill": Place(PlaylistScreen, ("Question",), ("drill",)),
    "checkpoint": Place(PlaylistScreen, ("question 1 of 5",), ("checkpoint",)),
    "result": Place(
        ResultDialog,
        (
            *("question comes back", "r", "A answer", "A", "next question", "\r"),
            *("question 2 of 2", "A", "next question", "\r", "Enter goes on"),
        ),
        is_due=True,
    ),
    "values": Place(ValuesScreen, ("step 0", "n", "step 1", "n", "step 2", "t", "Value"), _LESSON),
    "question": Place(LessonScreen, _PREDICTED[:-2], _LESSON),
    "search": Place(LessonScreen, ("step 0", "/", "text in this panel"), _LESSON),
    "find": Place(SandboxScreen, (_EMPTY, "\x06", "Tab replace"), _SANDBOX),
    "paths": Place(PathsDialog, (*_CONTENTS, "p", "Five questions")),
    "help": Place(HelpDialog, (*_CONTENTS, "?", "Enter or a click does it")),
    "variants": Place(VariantsDialog, (*_PREDICTED, "v", "What if?"), _LESSON),
    "holds": Place(HoldsDialog, (*_PREDICTED, "h", "steps through one"), _LESSON),
    "solution": Place(
        SolutionDialog, ("the shortest solution", "\x1b", "q quit", "A", "One solution"), _CHALLENGE
    ),
    "fixes": Place(FixesDialog, (*_FAILED, "x", "What to write instead"), _FILE),
    "op": Place(OpCardDialog, (*_FAILED, "gnnn", "step 3", "I", "What line"), _FILE),
    "export": Place(ExportDialog, ("step 0", "Y", "Enter takes it"), _LESSON),
    "go to": Place(PromptDialog, ("step 0", "#", "Go where?"), _LESSON),
    "save": Place(PathDialog, (_EMPTY, "x = 1", "x = 1", "\x13", "Save to which file?"), _SANDBOX),
    "open": Place(ProgramDialog, (_EMPTY, "\x0f", "Open which file?"), _SANDBOX),
    "ask": Place(ProgramDialog, (*_CONTENTS, "a", "Your own program")),
    "unsaved": Place(AskDialog, (_EMPTY, "x = 1", "x = 1", "\x11", "leave without"), _SANDBOX),
    "trust": Place(AskDialog, ("did not come with",), ("--lessons", "theirs", "lesson", "theirs")),
}
"""By name. What is typed into a lesson, a search or a question has a place of its own."""
