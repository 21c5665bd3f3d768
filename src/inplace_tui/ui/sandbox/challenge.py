"""A challenge: the sandbox with a task above it, which judges what is run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import ClassVar

import msgspec
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content

from inplace_tui.drive.challenges import references
from inplace_tui.engine.challenges.challenge_files import LoadedChallenge
from inplace_tui.engine.challenges.grading import Grade, References, grade
from inplace_tui.engine.lessons.claims import ending
from inplace_tui.engine.session.session import Session
from inplace_tui.engine.session.signals import FindFixes, Instruction
from inplace_tui.engine.session.view import View
from inplace_tui.model.lesson import LocalText
from inplace_tui.model.program import Program
from inplace_tui.model.timeline import Timeline
from inplace_tui.present.challenge import ChallengeAttempt, headline
from inplace_tui.progress import ChallengeProgress, Progress, ProgressError
from inplace_tui.runner.worker import Worker
from inplace_tui.texts import say
from inplace_tui.texts.challenges import ChallengeTexts
from inplace_tui.texts.screen import ScreenTexts
from inplace_tui.ui.arrangement import Needs
from inplace_tui.ui.dialogs.solution import SolutionDialog
from inplace_tui.ui.drafts.draft import Draft
from inplace_tui.ui.drafts.recovery import Recovery
from inplace_tui.ui.keys import Where, bindings
from inplace_tui.ui.panels.task import TaskPanel
from inplace_tui.ui.sandbox.sandbox import SandboxScreen
from inplace_tui.ui.screens.run_screen import ScreenSessionRunner
from inplace_tui.ui.widgets.bar import Bar

TRIES = 3
"""Times that the programs an edit is judged by are run: a worker may die under them."""

KeepAttempt = Callable[[ChallengeProgress], None]


class ChallengePlayer(ScreenSessionRunner):
    """Plays without looking for fixes: to find one is the task."""

    def _perform(self, instructions: list[Instruction]) -> None:
        super()._perform([each for each in instructions if not isinstance(each, FindFixes)])


class ChallengeScreen(SandboxScreen):
    """A program to break or to mend. What was typed is kept with the progress."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.RUN, Where.SANDBOX, Where.CHALLENGE)]
    ABOVE = ("task",)

    def __init__(
        self,
        loaded: LoadedChallenge,
        runner: ChallengePlayer,
        recovery: Recovery,
        *,
        kept: ChallengeProgress,
        keep: KeepAttempt,
        references: Callable[[], Awaitable[References]],
    ) -> None:
        """Open a challenge.

        Args:
            loaded: the challenge.
            runner: of a session with the program that is to be edited.
            recovery: of the sandbox, which is not used.
            kept: what was reached before.
            keep: called with what is reached.
            references: runs the programs that an edit is judged by.
        """
        text = loaded.code if kept.draft is None else kept.draft
        super().__init__(
            runner, Draft(text, origin=loaded.origin, seed=loaded.challenge.seed), recovery
        )
        self.loaded = loaded
        self.kept = kept
        self._keep = keep
        self._run_references = references
        self._references: References | None = None
        self._failed = False
        self._judged: Timeline | None = None
        self._shown: ChallengeAttempt | None = None
        self._attempt = ChallengeAttempt(loaded, hints=kept.hints)

    def compose_above(self) -> ComposeResult:
        """The task."""
        yield TaskPanel(self._attempt, id="task")

    def on_mount(self) -> None:
        """Say what is to be done, and run what an edit is judged by."""
        super().on_mount()
        if self.kept.draft is not None:
            self.note(ChallengeTexts.recovered)
        else:
            self.note(ChallengeTexts.run_first)
        self.run_worker(self._refer(), name="references")

    async def _refer(self) -> None:
        for _ in range(TRIES):
            known = await self._run_references()
            ends = (ending(known.start.outcome), ending(known.solution.outcome))
            if None not in ends:
                self._references = known
                self.refresh_view()
                return
        self._failed = True
        self.note(ChallengeTexts.no_references)

    # Judging.

    def look(self) -> View:
        """Fixes that were tried would be the answer."""
        return replace(super().look(), fixes=None)

    def refresh_view(self) -> None:
        """Judge a run that is over, then show everything."""
        if not self.is_there:
            return
        fresh = self._judge()
        self.query_one(TaskPanel).attempt = self._attempt
        super().refresh_view()
        if fresh is not None:
            self.call_after_refresh(self.query_one(TaskPanel).reveal_verdict)

    def _judge(self) -> Grade | None:
        """Return the grade of a run, the first time that there is one."""
        done, references = self.runner.session.finished, self._references
        if self._ran is None or self._failed:
            return None
        if done is None or references is None:
            self._attempt = replace(self._attempt, grade=None, grading=self._is_under_way())
            return None
        if done.timeline is self._judged:
            return None
        self._judged = done.timeline
        found = grade(self.loaded, done, references)
        self._attempt = replace(self._attempt, grade=found, grading=False)
        if found.solved:
            best = found.changed if self.kept.lines is None else self.kept.lines
            self._reach(lines=min(best, found.changed))
        return found

    def _is_under_way(self) -> bool:
        """Whether a verdict is to be expected; none is of a run that was lost."""
        timeline = self.runner.session.view().timeline
        return timeline.outcome is None or self.runner.session.view().verifying

    def _reach(self, **reached: object) -> None:
        self.kept = msgspec.structs.replace(self.kept, **reached)
        self._keep(self.kept)

    def program_of(self, text: str) -> Program:
        """Return what to run: the challenge, edited."""
        return self.loaded.program(text)

    # Showing.

    def _needs(self, view: View) -> Needs:
        panel = self.query_one(TaskPanel)
        room = max(20, self.size.width - 4)
        return replace(super()._needs(view), task_rows=len(panel.rows_of(view, room)))

    def show_title(self) -> None:
        """Say which challenge this is, and how well it was solved."""
        about, catalogue = self.loaded.challenge, self.host.catalogue
        assert catalogue is not None, "challenges are opened from it"
        number, total = catalogue.place_of_challenge(about.id)
        head = self.tell(ChallengeTexts.challenge_of, number=number, total=total)
        short = f"{number}/{total}"
        parts = [
            Content.styled(head if self.size.width >= 60 else short, "$primary"),
            Content.styled(about.title[self.language], "bold"),
        ]
        right = Content.styled(self.tell(ChallengeTexts.par_of, par=about.par), "$text-muted")
        if self.kept.solved:
            said = self.tell(ChallengeTexts.is_solved, lines=self.kept.lines, par=about.par)
            right = Content.styled(f"✓ {said}", "$success")
        found = self._attempt.grade
        if self._ran is not None and self._ran != self.editor.text:
            right = Content.styled(self.say(ScreenTexts.edited_since), "$warning")
        elif found is not None:
            colour = "$success" if found.solved else "$error"
            right = Content.styled(headline(found, self.language), colour)
        self.query_one("#title", Bar).show(Content("  ").join(parts), right)

    def tell(self, text: LocalText, /, **values: object) -> str:
        """Return one of the texts about challenges."""
        return say(text, self.language, **values)

    @property
    def promoted(self) -> tuple[str, ...]:
        """What leads on comes first."""
        found = self._attempt.grade
        if self.editing:
            return ("run",)
        if found is not None and found.solved:
            return ("next_challenge", "type")
        return ("type", "run", "hint", "answer")

    @property
    def idle(self) -> tuple[str, ...]:
        """Before the first run there is nothing to step through."""
        stepping = ("next", "back", "continue", "into", "out", "end", "restart")
        return (*super().idle, *stepping) if self._ran is None else super().idle

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There are no files here, and nobody is told the fixes."""
        if action in ("save", "save_as", "open", "fixes", "templates", "live"):
            return False
        if action == "hint":
            return bool(self.loaded.challenge.hints)
        return super().check_action(action, parameters)

    # What the learner does.

    def action_hint(self) -> None:
        """Show the next hint."""
        if self._attempt.hints >= len(self.loaded.challenge.hints):
            self.note(ChallengeTexts.no_more_hints)
            return
        self._attempt = replace(self._attempt, hints=self._attempt.hints + 1)
        self._reach(hints=self._attempt.hints)
        self.refresh_view()
        panel = self.query_one(TaskPanel)
        self.call_after_refresh(panel.reveal, max(0, len(panel.rows) - 1), margin=0)

    def action_answer(self) -> None:
        """Show a solution; that it was shown is kept, unless it was solved before."""
        if not self.kept.solved:
            self._reach(shown=True)
        self.app.push_screen(SolutionDialog(self.loaded))

    def action_reset(self) -> None:
        """Take the program back to how it was, where that can be undone."""
        self.editor.replace_all(self.loaded.code)
        self._edit(editing=True)
        self.note(ChallengeTexts.reset)

    def action_next_challenge(self) -> None:
        """Open the challenge that follows."""
        assert self.host.catalogue is not None, "challenges are opened from it"
        following = self.host.catalogue.after_challenge(self.loaded.challenge.id)
        if following is None:
            self.go_away()
        else:
            self.host.open_challenge(following)

    def base_name(self) -> str:
        """Return the id of the challenge."""
        return self.loaded.challenge.id

    # Keeping.

    @property
    def unsaved(self) -> bool:
        """Whether something was typed that is not kept yet."""
        return self.is_mounted and self._draft_now() != self.kept.draft

    def _draft_now(self) -> str | None:
        text = self.editor.text
        return None if text == self.loaded.code else text

    def keep(self) -> None:
        """Keep what was typed."""
        draft = self._draft_now()
        if draft != self.kept.draft:
            self._reach(draft=draft)

    async def may_lose(self) -> bool:
        """Nothing is ever lost: it is kept now."""
        self.keep()
        return True

    async def _go_away(self) -> None:
        self.keep()
        self.host.show_contents(self.loaded.challenge.id)


def challenge_screen(
    loaded: LoadedChallenge,
    worker: Worker,
    learner: Progress,
    recovery: Recovery,
    unkept: Callable[[ProgressError], None],
) -> ChallengeScreen:
    """Return the screen of a challenge, with what the learner typed last.

    Args:
        loaded: the challenge.
        worker: runs it.
        learner: whose progress it is kept with.
        recovery: of the sandbox.
        unkept: called when it could not be kept.
    """
    identity = loaded.challenge.id

    def keep(reached: ChallengeProgress) -> None:
        try:
            learner.keep_challenge(identity, reached)
        except ProgressError as failure:
            unkept(failure)

    # Its session has no lesson, so there are no answers to keep.
    runner = ChallengePlayer(Session(loaded.program()), worker, lambda _: None)
    screen = ChallengeScreen(
        loaded,
        runner,
        recovery,
        kept=learner.challenge(identity),
        keep=keep,
        references=partial(references, worker, loaded),
    )
    runner.bind(screen)
    return screen
