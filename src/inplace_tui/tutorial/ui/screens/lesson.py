"""A lesson: its program, its words, its questions, its variants."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from textual.content import Content

from inplace_tui.common.problems import fill
from inplace_tui.common.rows import Row
from inplace_tui.common.texts.challenges import ChallengeTexts
from inplace_tui.common.texts.quiz import QuizTexts
from inplace_tui.common.texts.screen import ScreenTexts
from inplace_tui.common.texts.session import NoticeTexts
from inplace_tui.tutorial.activity.session import signals
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.activity.session.view import View
from inplace_tui.tutorial.course.lesson import MEND
from inplace_tui.tutorial.course.lessons.loader import HOLDS, LoadedLesson
from inplace_tui.tutorial.drive.session_runner import SessionRunner
from inplace_tui.tutorial.present.variants import held_rows, rows
from inplace_tui.tutorial.ui.arrangement import Needs
from inplace_tui.tutorial.ui.dialogs.dialog import NumberedDialog, closed_by
from inplace_tui.tutorial.ui.keys import Where, bindings
from inplace_tui.tutorial.ui.lesson_fit import card_rows
from inplace_tui.tutorial.ui.screens.asking import AfterLesson, AskingScreen, to_lesson
from inplace_tui.tutorial.ui.screens.contents import open_entry
from inplace_tui.tutorial.ui.widgets.bars import Bar

AS_WRITTEN = ""
"""The result that means the lesson's own program."""


class VariantsDialog(NumberedDialog[str]):
    """Lists the variants; the result is the id of the chosen one, or `AS_WRITTEN`."""

    HEADING = ScreenTexts.variants
    FOOTER = ScreenTexts.variants_lead
    BINDINGS = closed_by("variants")

    def __init__(self, lesson: LoadedLesson, session: Session) -> None:
        super().__init__()
        self.lesson, self.session = lesson, session
        # Begin at the first that is not predicted yet.
        keys, known = enumerate(self.results()), session.guesses
        self.first = next((n for n, each in keys if each and each not in known), 0)

    def rows(self, room: int) -> list[Row]:
        known, guesses, shown = self.session.outcomes, self.session.guesses, self.session.variant
        return rows(self.lesson, known, guesses, shown=shown, room=room, language=self.language)

    def results(self) -> list[str]:
        return [AS_WRITTEN, *(variant.id for variant in self.lesson.lesson.variants)]


class HoldsDialog(NumberedDialog[str]):
    """Lists the programs that would show the recap false; the result is the key of one."""

    HEADING = ScreenTexts.try_to_break
    FOOTER = ScreenTexts.try_to_break_lead
    BINDINGS = closed_by("holds")
    first = 0

    def __init__(self, lesson: LoadedLesson, session: Session) -> None:
        super().__init__()
        self.lesson, self.session = lesson, session

    def rows(self, room: int) -> list[Row]:
        known, held = self.session.outcomes, self.session.held
        return held_rows(self.lesson, known, held, room, self.language)

    def results(self) -> list[str]:
        return [HOLDS + each.id for each in self.lesson.lesson.holds]


INVITES_FROM = 3
"""The lesson from which on a program of the learner's own is asked for."""


class LessonScreen(AskingScreen):
    """One lesson in front of the learner."""

    BINDINGS = bindings(Where.RUN, Where.LESSON)

    def __init__(self, lesson: LoadedLesson, runner: SessionRunner) -> None:
        super().__init__(runner)
        self.lesson = lesson
        self._card_rows = "", 0
        """The rows of the largest card, and the language in which it has them."""

        self._table: VariantsDialog | HoldsDialog | None = None

    def reached(self, listed: Iterable[str]) -> str:  # noqa: ARG002  (of a playlist)
        return self.lesson.lesson.id

    # Showing.

    def current_view(self) -> View:
        view, place = super().current_view(), self._number()
        knows_enough = place is not None and place[0] >= INVITES_FROM
        return replace(view, invites=knows_enough and view.recap is not None)

    def show_title(self) -> None:
        about = self.lesson.lesson
        wide = self.size.width >= 100
        parts: list[Content] = []
        if wide:
            parts.append(Content.styled(self.say(ScreenTexts.brand), "bold $primary"))
        place = self._number()
        if place is not None:
            parts.append(Content(self.numbered(ScreenTexts.lesson_of, place)))
        parts += self.presented
        parts.append(Content.styled(about.title[self.language], "bold"))
        if self.view.variant is not None:
            title = self.lesson.title_of(self.view.variant)[self.language]
            parts.append(Content.styled(self.say(ScreenTexts.variant_of, title=title), "$warning"))
        self.query_one("#title", Bar).show(Content("  ").join(parts), self.progress_text(self.view))

    def _number(self) -> tuple[int, int] | None:
        """Return the number of the lesson on its path, and how many there are, once it is read."""
        catalogue = self.host.catalogue
        return None if catalogue is None else catalogue.place_of(self.lesson.lesson.id)

    def following(self) -> AfterLesson | None:
        """Return what comes after this lesson is done, once the course is read.

        That is its chapter's checkpoint, if it was not done yet, else a lesson, else a challenge.
        """
        catalogue, identity = self.host.catalogue, self.lesson.lesson.id
        if catalogue is None or catalogue.course.find(identity) is None:
            return None
        path = catalogue.path
        on_path = path is not None and identity in path.ids
        last = catalogue.ends_path(identity)
        if last is not None:
            return AfterLesson(last.challenge.title, last, ChallengeTexts.to_challenge)
        for chapter in () if on_path else catalogue.course.checkpoints:
            done = self.host.learner.checkpoint(chapter.slug).best is not None
            if not done and chapter.lessons and chapter.lessons[-1].lesson.id == identity:
                title = fill(QuizTexts.next_checkpoint, title=chapter.chapter.title)
                return AfterLesson(title, chapter, QuizTexts.to_checkpoint)
        after, challenge = catalogue.beside(identity, 1), catalogue.after_challenge()
        if after is not None or challenge is None:
            return to_lesson(after)
        return AfterLesson(challenge.challenge.title, challenge, ChallengeTexts.to_challenge)

    def adjust(self, needs: Needs, view: View) -> Needs:
        """Of what is left, the code has what no question of this lesson needs."""
        if self._card_rows[0] != self.language:
            self._card_rows = self.language, card_rows(self.lesson, self.language)
        return replace(super().adjust(needs, view), card_rows=self._card_rows[1])

    def view_shown(self) -> None:
        super().view_shown()
        if self._table is not None:
            self._table.write()

    @property
    def idle(self) -> tuple[str, ...]:
        """What holds the recap, and a program to fix, are offered with that."""
        return super().idle if self.view.recap is not None else (*super().idle, "holds", "mend")

    @property
    def is_done(self) -> bool:
        """Whether the lesson was played to its end, though a variant may be shown by now."""
        kept = self.host.learner.lesson(self.lesson.lesson.id)
        return super().is_done or kept.finished

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("variants", "holds", "mend"):
            return bool(getattr(self.lesson.lesson, action))
        return super().check_action(action, parameters)

    def action_present(self) -> None:
        """Present the lesson, or no longer; begin where that starts."""
        self.host.presenting = not self.host.presenting
        self.host.open_lesson(self.lesson.lesson.id)

    # Variants and the sandbox.

    def action_variants(self) -> None:
        """Show the table of variants, and run those that were not run yet."""
        self._open_table(VariantsDialog, signals.OutcomesRequested())

    def action_holds(self) -> None:
        """Run the programs that would show the recap false."""
        self._open_table(HoldsDialog, signals.OutcomesRequested(holds=True))

    def action_mend(self) -> None:
        """Open the program that this lesson offers to be fixed."""
        if self.host.catalogue is None:
            self.note(ScreenTexts.reading)
        elif not self.runner.session.may_experiment:
            self.note(NoticeTexts.answer_all_first)
        else:
            self.host.open_challenge(f"{self.lesson.id}{MEND}")

    def _open_table(
        self, table: type[VariantsDialog | HoldsDialog], wanted: signals.Signal
    ) -> None:
        session = self.runner.session
        if not session.may_experiment:
            self.note(NoticeTexts.answer_all_first)
            return
        self._table = table(self.lesson, session)
        self.host.ask(self._table, self._variant_chosen)
        self.send(wanted)

    def _variant_chosen(self, chosen: str) -> None:
        self.send(signals.VariantChosen(None if chosen == AS_WRITTEN else chosen))

    # Taking something out.

    def lesson_shown(self) -> str | None:
        return self.lesson.lesson.id

    def base_name(self) -> str:
        names = [self.lesson.lesson.id, *(self.view.variant or "").split("/")]
        return "-".join(name for name in names if name)

    # Other lessons.

    def action_next_lesson(self) -> None:
        """Go on to what follows; before this lesson is done, to the next one."""
        catalogue = self.host.catalogue
        if catalogue is None:
            self.note(ScreenTexts.reading)
            return
        beside = catalogue.beside(self.lesson.lesson.id, 1)
        after = self.following() if self.is_done else to_lesson(beside)
        if after is None:
            self.note(ScreenTexts.last_lesson)
        else:
            open_entry(self, after.entry)

    def action_previous_lesson(self) -> None:
        catalogue = self.host.catalogue
        if catalogue is None:
            self.note(ScreenTexts.reading)
            return
        before = catalogue.beside(self.lesson.lesson.id, -1)
        if before is None:
            self.note(ScreenTexts.first_lesson)
        else:
            self.host.open_lesson(before.lesson.id)
