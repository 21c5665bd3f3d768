"""A challenge: an editor with a task above it, which judges what is run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import msgspec
from textual import on
from textual.content import Content
from textual.widget import Widget
from textual.widgets import TextArea

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import fill
from inplace_tui.common.rows import Row
from inplace_tui.common.run.outcome import Completed, Raised
from inplace_tui.common.run.program import Program
from inplace_tui.common.texts.actions import LABELS, NEXT_CHAPTER
from inplace_tui.common.texts.challenges import ChallengeTexts, GradingTexts
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.activity.challenges.grading import Grade, References, grade
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.activity.session.signals import FindFixes, Instruction
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.course.course import LoadedChapter
from inplace_tui.tutorial.course.lesson import MEND
from inplace_tui.tutorial.course.lessons.claims import FinishedRun
from inplace_tui.tutorial.course.lessons.loader import LoadedChallenge
from inplace_tui.tutorial.drive.check import references
from inplace_tui.tutorial.drive.session_runner import SessionRunner
from inplace_tui.tutorial.editor.line_matching import moved
from inplace_tui.tutorial.present import challenge
from inplace_tui.tutorial.present.challenge import (
    ChallengeAttempt,
    general_rules,
    headline,
    solution,
)
from inplace_tui.tutorial.progress import ChallengeProgress
from inplace_tui.tutorial.ui.arrangement import Needs
from inplace_tui.tutorial.ui.dialogs.dialog import RowsDialog, closed_by
from inplace_tui.tutorial.ui.keys import Where, bindings
from inplace_tui.tutorial.ui.panels import Panel
from inplace_tui.tutorial.ui.sandbox.editor_screen import EditorScreen
from inplace_tui.tutorial.ui.screens.contents import Entry, open_entry
from inplace_tui.tutorial.ui.widgets.bars import Bar

TRIES = 3
"""Times that the programs an edit is judged by are run: a worker may die under them."""

SaveAttempt = Callable[[ChallengeProgress], None]

_NOT_HERE = ("save", "save_as", "open", "fixes")
"""Actions of the sandbox that a challenge does not have: no file, and the fix is the task."""


def _called(places: Mapping[int, int], line: int) -> int | LocalText:
    """Return what a line of the program that ran is called in a newer text."""
    return places[line] if line in places else fill(GradingTexts.removed, line=line)


class ChallengeJudge:
    """Grades a run that is over, once."""

    def __init__(
        self,
        loaded: LoadedChallenge,
        *,
        kept: ChallengeProgress,
        save: SaveAttempt,
        references: Callable[[], Awaitable[References]],
    ) -> None:
        self._loaded = loaded
        self.kept = kept
        hints = min(kept.hints, len(loaded.challenge.hints))  # it may have had more
        self.attempt = ChallengeAttempt(loaded, hints=hints)
        self._save = save
        self._run_references = references
        self._references: References | None = None
        self._failed = False
        self._judged: FinishedRun | None = None
        self._moved: Mapping[int, int] = {}
        """Where the lines of what was judged are in the text that the verdict is shown beside."""

    async def prepare(self) -> bool:
        """Run what an edit is judged by; return whether that could be done."""
        for _ in range(TRIES):
            known = await self._run_references()
            outcomes = (known.start.outcome, known.solution.outcome)
            if all(isinstance(each, Completed | Raised) for each in outcomes):
                self._references = known
                return True
        self._failed = True
        return False

    def judge(self, session: Session) -> Grade | None:
        """Return the grade of a run, the first time that there is one."""
        done, references = session.finished, self._references
        if self._failed:
            return None
        if done is None or references is None:
            view = session.view()
            # A run that was lost has no verdict.
            awaited = view.timeline.outcome is None or view.verifying
            self.attempt = replace(self.attempt, grade=None, grading=awaited)
            return None
        if self._judged is not None and done.timeline is self._judged.timeline:
            return None
        self._judged = done
        self._moved = {}
        found = grade(self._loaded, done, references)
        self.attempt = replace(self.attempt, grade=found, grading=False)
        if found.solved:
            best = found.changed if self.kept.lines is None else self.kept.lines
            self.reach(lines=min(best, found.changed))
        return found

    def follow(self, source: str) -> None:
        """Number lines as they are in a text: what is edited, or what ran."""
        done, known = self._judged, self._references
        self.attempt = replace(self.attempt, source=source)
        if done is None or known is None or self.attempt.grade is None:
            return
        places = {} if source == done.source else moved(done.source, source)
        if places != self._moved:
            self._moved = places
            number = partial(_called, places) if places else str
            self.attempt = replace(self.attempt, grade=grade(self._loaded, done, known, number))

    def hint(self) -> bool:
        """Show the next hint; return whether there was one."""
        if self.attempt.hints >= len(self._loaded.challenge.hints):
            return False
        self.attempt = replace(self.attempt, hints=self.attempt.hints + 1)
        self.reach(hints=self.attempt.hints)
        return True

    def reach(self, **reached: object) -> None:
        self.kept = msgspec.structs.replace(self.kept, **reached)
        self._save(self.kept)


class SolutionDialog(RowsDialog[None]):
    """One solution, as what it changes."""

    HEADING = ChallengeTexts.solution
    FOOTER = ScreenTexts.help_close
    BINDINGS = closed_by("answer.challenge")

    def __init__(self, challenge: LoadedChallenge) -> None:
        super().__init__()
        self._challenge = challenge

    def rows(self, room: int) -> list[Row]:
        return solution(self._challenge, room, self.language)


class TaskPanel(Panel):
    """Shows what is wanted, hints, and what holds of the last run and what doesn't."""

    TITLE = ChallengeTexts.title
    SAYS_MORE = True

    def __init__(self, attempt: ChallengeAttempt, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.attempt = attempt

    def rows_of(self, view: View, width: int) -> Sequence[Row]:  # noqa: ARG002
        return challenge.rows(self.attempt, width, self.language)

    def reveal_from(self, place: Callable[[ChallengeAttempt, int, str], int]) -> None:
        """Scroll so that what begins at a place can be read, and what fits of all below it."""
        width = self.scrollable_content_region.width
        if width > 0:
            self.reveal(max(0, len(self.rows) - 1), margin=0)
            self.reveal(place(self.attempt, width, self.language), margin=0)


class ChallengeRunner(SessionRunner):
    """Runs a challenge without a search for fixes: to find one is the task."""

    def _perform(self, instructions: list[Instruction]) -> None:
        super()._perform([each for each in instructions if not isinstance(each, FindFixes)])


class ChallengeScreen(EditorScreen):
    """A program to break or to mend."""

    BINDINGS = bindings(Where.RUN, Where.SANDBOX, Where.CHALLENGE)
    ABOVE = ("task",)

    def __init__(
        self, loaded: LoadedChallenge, worker: Worker, kept: ChallengeProgress, save: SaveAttempt
    ) -> None:
        """Open it with what the learner typed last; `save` is told of all that is reached."""
        # Its session has no lesson, so there are no answers to keep.
        runner = ChallengeRunner(Session(loaded.program()), worker)
        super().__init__(runner, loaded.code if kept.draft is None else kept.draft, ran=False)
        self.loaded = loaded
        self.judge = ChallengeJudge(
            loaded, kept=kept, save=save, references=partial(references, worker, loaded)
        )
        self._renumbers = False
        """The task's line numbers follow once all keys that have come are typed."""

    # What was typed is saved with the progress: nothing is ever lost.

    @property
    def _own_text(self) -> str | None:
        text = self.editor.text
        return None if text == self.loaded.code else text

    @property
    def unsaved(self) -> bool:
        return self._own_text != self.judge.kept.draft

    def keep_draft(self) -> None:
        if self.unsaved:
            self.judge.reach(draft=self._own_text)

    async def may_lose(self) -> bool:
        self.keep_draft()
        return True

    def compose_more(self) -> list[Widget]:
        return [TaskPanel(self.judge.attempt, id="task"), *super().compose_more()]

    def begin(self) -> None:
        """Say what is to be done, and run what an edit is judged by."""
        super().begin()
        is_new = self.judge.kept.draft is None
        self.note(ChallengeTexts.run_first if is_new else ChallengeTexts.recovered)
        self.run_worker(self._prepare(), name="references")

    async def _prepare(self) -> None:
        if await self.judge.prepare():
            self.refresh_view()
        else:
            self.note(ChallengeTexts.no_references)

    # Showing.

    def current_view(self) -> View:
        """Fixes that were tried would be the answer."""
        return replace(super().current_view(), fixes=None)

    def prepare_view(self) -> None:
        super().prepare_view()
        task = self.query_one(TaskPanel)
        if self.ran_text is not None and self.judge.judge(self.runner.session) is not None:
            self.call_after_refresh(task.reveal_from, challenge.verdict_at)
        self._follow_edits()

    def _follow_edits(self) -> None:
        """Number lines as the text shows them that is before the learner."""
        text = self.editor.text
        self.judge.follow(text if self.editing or self.ran_text is None else self.ran_text)
        self.query_one(TaskPanel).attempt = self.judge.attempt

    @on(TextArea.Changed, "Editor")
    def _numbers_changed(self) -> None:
        if not self._renumbers:
            self._renumbers = True
            self.call_after_refresh(self._renumber)

    def _renumber(self) -> None:
        self._renumbers = False
        self._follow_edits()
        task = self.query_one(TaskPanel)
        task.redraw()
        task.say_title()

    def adjust(self, needs: Needs, view: View) -> Needs:
        rows = self.query_one(TaskPanel).rows_of(view, max(20, self.size.width - 4))
        return replace(super().adjust(needs, view), task_rows=len(rows))

    def show_title(self) -> None:
        about, catalogue, kept = self.loaded.challenge, self.host.catalogue, self.judge.kept
        assert catalogue is not None, "challenges are opened from it"
        parts = list(self.presented)
        if self._lesson is None:
            place = catalogue.place_of_challenge(about.id)
            numbered = self.numbered(ChallengeTexts.challenge_of, place)
            parts.insert(0, Content.styled(numbered, "$primary"))
        parts.append(Content.styled(about.title[self.language], "bold"))
        edited, found = self.edited_since(), self.judge.attempt.grade
        if edited is not None:
            right = edited
        elif found is not None:
            colour = "$success" if found.solved else "$error"
            right = Content.styled(headline(found, self.language), colour)
        elif kept.solved:
            solved = self.say(ChallengeTexts.is_solved, lines=kept.lines)
            right = Content.styled(f"✓ {solved}", "$success")
        else:
            right = Content.styled(self.say(ChallengeTexts.par_of, par=about.par), "$text-muted")
        self.query_one("#title", Bar).show(Content("  ").join(parts), right)

    @property
    def promoted(self) -> tuple[str, ...]:
        found = self.judge.attempt.grade
        if self.editing:
            return ("run",)
        if found is not None and found.solved:
            return ("next_challenge", "type", "leave")
        return ("type", "run", "hint", "answer", "leave")

    @property
    def idle(self) -> tuple[str, ...]:
        """Before the first run there is nothing to step through."""
        stepping = ("next", "back", "continue", "into", "out", "end", "restart")
        return (*super().idle, *stepping) if self.ran_text is None else super().idle

    def help_above(self, room: int, language: str) -> list[Row]:
        return general_rules(room, language)

    @property
    def why_not(self) -> Mapping[str, LocalText]:
        return {
            **super().why_not,
            **dict.fromkeys(("save", "open"), ChallengeTexts.no_file),
            "fixes": ChallengeTexts.no_fixes,
            "hint": ChallengeTexts.no_hints,
        }

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in _NOT_HERE:
            return False
        if action == "hint":
            return bool(self.loaded.challenge.hints)
        return super().check_action(action, parameters)

    # What the learner does.

    def action_hint(self) -> None:
        if not self.judge.hint():
            self.note(ChallengeTexts.no_more_hints)
            return
        self.refresh_view()
        self.call_after_refresh(self.query_one(TaskPanel).reveal_from, challenge.last_hint_at)

    def action_answer(self) -> None:
        """Show a solution; that it was shown is kept, unless it was solved before."""
        if not self.judge.kept.solved:
            self.judge.reach(shown=True)
        self.app.push_screen(SolutionDialog(self.loaded))

    def action_reset(self) -> None:
        """Take the program back to how it was, where that can be undone."""
        self.editor.replace_all(self.loaded.code)
        self.edit(editing=True)
        self.note(ChallengeTexts.reset)

    @property
    def _chapter_after(self) -> LoadedChapter | None:
        """The chapter to go on with, where the challenge that ends one is solved."""
        catalogue = self.host.catalogue
        assert catalogue is not None, "challenges are opened from it"
        solved = self.judge.kept.solved
        return catalogue.chapter_after(self.loaded.challenge.id) if solved else None

    @property
    def label_overrides(self) -> Mapping[str, LocalText]:
        following = {} if self._chapter_after is None else {"next_challenge": NEXT_CHAPTER}
        following = following if self._lesson is None else {"next_challenge": LABELS["next_lesson"]}
        return {**super().label_overrides, **following}

    def action_next_challenge(self) -> None:
        """Go on to the next chapter after the challenge of one, else to the next challenge.

        From what a lesson offers to be fixed, go on to the lesson after it.
        """
        catalogue, after = self.host.catalogue, self._chapter_after
        assert catalogue is not None, "challenges are opened from it"
        following: Entry | None
        if self._lesson is not None:
            following = catalogue.beside(self._lesson, 1)
        elif after is not None:
            following = catalogue.course.find(catalogue.first_open(after))
        else:
            following = catalogue.after_challenge(self.loaded.id)
        if following is None:
            self.go_away()
        else:
            open_entry(self, following)

    @property
    def _lesson(self) -> str | None:
        """The lesson that offers it; None for a challenge of its own."""
        name = self.loaded.id
        return name.removesuffix(MEND) if name.endswith(MEND) else None

    def program_of(self, text: str) -> Program:
        return self.loaded.program(text)

    def base_name(self) -> str:
        return self.loaded.id.replace("/", "-")

    def go_away(self) -> None:
        self.save_draft()
        self.host.show_contents(self._lesson or self.loaded.id)
