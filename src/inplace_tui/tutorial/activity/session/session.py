"""The rules of the lesson loop: what may be seen, when to ask, what to run.

No I/O: a signal goes in, instructions come out, and `view` says what to show.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import zip_longest

from inplace_tui.common.blame import Blame
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.run.ending import Ending
from inplace_tui.common.run.fix import FixSearch
from inplace_tui.common.run.outcome import Cancelled, Completed, Crashed, Outcome, Truth, Unverified
from inplace_tui.common.run.program import Program
from inplace_tui.common.run.snapshot import EMPTY
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.texts.session import NoticeTexts
from inplace_tui.tutorial.activity.session import signals
from inplace_tui.tutorial.activity.session.movement import bounds, goes_forward, move_to
from inplace_tui.tutorial.activity.session.questions import (
    AnswerJudge,
    Questions,
    QuestionState,
    place,
)
from inplace_tui.tutorial.activity.session.run import SessionRun
from inplace_tui.tutorial.activity.session.saved import QuestionStatus, SavedAnswer, SaveProgress
from inplace_tui.tutorial.activity.session.signals import Instruction, Move, Moved, Notify, RunEnded
from inplace_tui.tutorial.activity.session.view import (
    UNVERIFIED,
    Gate,
    Mask,
    View,
    covered,
    mask,
    without_answer,
)
from inplace_tui.tutorial.course.lessons.claims import FinishedRun, mismatches
from inplace_tui.tutorial.course.lessons.kinds.kind import AskedQuestion
from inplace_tui.tutorial.course.lessons.loader import HOLDS, LoadedLesson
from inplace_tui.tutorial.forecast.forecast import Unknown


@dataclass(frozen=True)
class ViewBuilder:
    """Makes the view of a session at a step; it withholds what an open question hides."""

    lesson: LoadedLesson | None
    variant: str | None
    run: SessionRun
    """Of the variant, or of the program itself."""

    questions: Questions

    @property
    def predicted(self) -> QuestionState | None:
        """What the learner predicts of it, before anything of it is shown."""
        return self.questions.prediction(self.variant)

    def build(self) -> View:
        run, cursor = self.run, self.run.cursor
        own = self.variant is None
        begins = own and cursor < 0
        if self.predicted is not None and not self.predicted.done:
            return self._before_prediction(self.predicted)
        snapshot = run.timeline.at(cursor)
        hidden_from = self.questions.hidden_from() if own else None
        visible = hidden_from is None or cursor < hidden_from
        step = run.timeline.steps[cursor] if cursor >= 0 else None
        furthest = max(run.furthest, cursor)
        asked = self.questions.unanswered() if own else []
        hiding = mask(asked, snapshot, cursor=cursor, furthest=furthest)
        pending_at, pending = run.pending_forecast or (None, None)
        previous = EMPTY if step is None else run.timeline.at(step.began - 1)
        if hiding.saves:
            snapshot, previous = snapshot.without_saved(), previous.without_saved()
        ended = run.outcome is not None and cursor == run.last
        # A prediction stands beside the end of the run that it was about.
        question = self.predicted.view(0) if self.predicted is not None and ended else None
        if own and self.predicted is None:
            question = self.questions.at(cursor)
        reachable = self.questions.limit(run.last) if own else run.last
        outcome = self._may_show_outcome(hiding)
        recap = self._recap()
        question = question if recap is None else None
        view = View(
            source=run.program.source,
            program=run.program,
            timeline=run.part(reachable=reachable, hidden_from=hidden_from, mask=hiding),
            cursor=cursor,
            reachable=reachable,
            furthest=None if self.lesson is None else furthest,
            snapshot=snapshot,
            previous=previous,
            ran=step and covered(step if visible else without_answer(step), hiding),
            # That no line follows the asked one would give away that it raised.
            next_line=(run.first_line if step is None else step.then) if visible else None,
            mask=hiding,
            watch=() if self.lesson is None else tuple(self.lesson.lesson.watch),
            narration=self._narration() if visible else None,
            question=question,
            gates=self.questions.marks() if own else {},
            running=run.outcome is None,
            outcome=run.outcome if outcome else None,
            truth=run.truth if outcome and run.truth is not None else UNVERIFIED,
            verifying=run.verifying,
            blame=self._blame_in_view() if outcome else None,
            fixes=None if self.questions.unanswered() else run.search,
            step_forecasts=None if hiding != Mask() else run.step_forecasts(cursor),
            found_forecasts={
                t: found for (at, t), found in run.found_forecasts.items() if at == cursor
            },
            pending_forecast=pending if pending_at == cursor else None,
            variant=self.variant,
            recap=recap,
            goal=self.lesson.lesson.goal if begins and self.lesson else None,
            bridges=self.lesson.bridges if begins and self.lesson else (),
            teaches=tuple(self.lesson.lesson.teaches) if begins and self.lesson else (),
            score=None if recap is None else self.questions.score,
            links=() if recap is None or self.lesson is None else self.lesson.links,
        )
        if self.lesson is not None or run.outcome is None or hiding.outcome:
            return view
        truth = view.truth if run.truth is None else run.truth
        at_end = replace(view, cursor=run.last, outcome=run.outcome, truth=truth, blame=run.blame())
        return replace(view, at_end=at_end)

    def _before_prediction(self, predicted: QuestionState) -> View:
        """Nothing but the program: all that it does would answer the question."""
        source = self.run.program.source
        return View(
            source=source,
            program=self.run.program,
            timeline=self.run.part(reachable=-1, hidden_from=0),
            next_line=self._first_change(source),
            mask=Mask(outcome=True),
            question=predicted.view(0),
            gates={0: Gate.OPEN},
            running=not predicted.status.is_open,
            variant=self.variant,
        )

    def _first_change(self, source: str) -> int | None:
        """Return the first line that is not the lesson's own: the question stands there."""
        if self.lesson is None:
            return None
        pairs = zip_longest(source.split("\n"), self.lesson.code.split("\n"))
        return next((line for line, (now, was) in enumerate(pairs, 1) if now != was), None)

    def _may_show_outcome(self, hiding: Mask) -> bool:
        """The outcome shows from the line that raised, else at the end, and where it was asked."""
        run = self.run
        if run.outcome is None or hiding.outcome:
            return False
        if run.cursor >= run.shows_outcome_from:
            return True
        return self.variant is None and self.questions.shows_outcome(run.cursor)

    def _blame_in_view(self) -> Blame | None:
        """Return the blame, unless it is about a line that ran after the step that is shown."""
        run, blame = self.run, self.run.blame()
        if blame is None or blame.reader is None or run.cursor == run.last:
            return blame
        visits = run.timeline.index.visits.get(blame.reader, ())
        return blame if visits and visits[0] <= run.cursor else None

    def _narration(self) -> LocalText | None:
        """What the lesson says after this line ran; the text of a variant comes at its end."""
        run = self.run
        if self.lesson is None or self.run.cursor < 0:
            return None
        if self.variant is not None:
            ended = run.outcome is not None and run.cursor == run.last
            known = self.predicted is not None and ended  # not a program of `holds`
            return self.lesson.variant(self.variant).say if known else None
        step = run.timeline.steps[self.run.cursor]
        at, anchors = (step.line, step.visit), self.lesson.anchors
        told = (e.say for e in self.lesson.lesson.steps if e.say and place(e.at, anchors) == at)
        return next(told, None)

    def _recap(self) -> LocalText | None:
        run = self.run
        if self.lesson is None or self.variant is not None:
            return None
        ended = run.over and run.cursor == run.last
        is_open = self.questions.unanswered() or self.questions.shown is not None
        return self.lesson.lesson.recap if ended and not is_open else None


MAX_WAITING = 100
"""Movements that are kept for later; those of a key that is held longer are dropped."""

_ONWARD = (Moved(Move.CONTINUE), Moved(Move.END))
"""These go on while the run does."""


class Session:
    """One lesson, or one program of the sandbox, in front of one learner."""

    def __init__(
        self,
        subject: LoadedLesson | Program,
        done: Timeline | None = None,
        *,
        learner: int = 0,
        asks_only: bool = False,
        asked: AskedQuestion | None = None,
    ) -> None:
        """Begin a session; with `done`, the timeline of a run that is over.

        What is `asked` is about the whole program, of which nothing is shown before. Choices are
        shuffled by the learner's number; 0 leaves them in the file's order. Where it `asks_only`,
        the last answer leads to the run's end, and its reply stands there for good.
        """
        self.lesson = subject if isinstance(subject, LoadedLesson) else None
        self.variant: str | None = None
        """The variant that is shown; None for the lesson's own program."""

        program = subject if isinstance(subject, Program) else subject.program()
        self._runs: dict[str | None, SessionRun] = {None: SessionRun(1, program, done)}
        self._numbered = 1
        self._questions = Questions(self.lesson, asked, learner)
        self._judge = AnswerJudge(self.lesson)
        self._asks_only = asks_only
        self._last_reply: str | None = None
        """The question whose reply stands beside the run's end."""

        self._retried = self._stepped = False
        self._waiting: list[signals.Movement] = []
        """What the learner asked for before the run had come that far, the first one first."""

        self._finished = False
        self._kept = self._progress()

    @classmethod
    def of_recording(
        cls,
        subject: LoadedLesson | Program,
        timeline: Timeline,
        truth: Truth,
        answers: Iterable[SavedAnswer] = (),
        *,
        asked: AskedQuestion | None = None,
    ) -> Session:
        """Return a session before the first line of a run that is over; nothing runs for it."""
        assert timeline.outcome is not None, "it is over"
        session = cls(subject, timeline, asked=asked)
        session.restore(-1, answers)
        # A line that called others finishes after them: the first to begin is the outermost.
        first = next((step.line for step in timeline if step.began == 0 and step.depth == 0), None)
        session.handle(signals.RunBegan(run=1, line=first))
        for step in timeline:
            session._questions.gates.add(step)
        session.handle(signals.ended(1, timeline))
        session.handle(signals.TruthKnown(run=1, truth=truth))
        return session

    def again(self) -> Session | None:
        """Return a session of its own of the run that is shown, with the same questions open.

        None while the run, or the check of its gradients, goes on.
        """
        shown = self._runs[self.variant]
        if shown.outcome is None or shown.truth is None:
            return None
        if self.lesson is None or self.variant is not None:
            return Session.of_recording(shown.program, shown.timeline, shown.truth)
        kept = self._progress().answers
        return Session.of_recording(self.lesson, shown.timeline, shown.truth, kept)

    # What the screens ask.

    def view(self) -> View:
        shown = self._runs[self.variant]
        view = ViewBuilder(self.lesson, self.variant, shown, self._questions).build()
        if not self._asks_only:
            return view
        if view.question is None and self._last_reply is not None and shown.cursor == shown.last:
            view = replace(view, question=self._questions.view(self._last_reply))
        return replace(view, recap=None, score=None, links=())

    @property
    def recorded(self) -> Timeline | None:
        """The whole run that is shown, once it is over: for the size of panels, and no other use.

        It may answer what is asked.
        """
        run = self._runs[self.variant]
        return run.timeline if run.over and self.lesson is not None else None

    @property
    def is_waiting(self) -> bool:
        """Whether a movement is still to be made, once the run has come that far."""
        return bool(self._waiting)

    @property
    def is_under_way(self) -> bool:
        """Whether the cursor has yet to come to where it is wanted: by a key, or from last time."""
        run = self._runs[self.variant]
        is_ahead = run.goal is not None and run.goal > run.cursor
        return self.is_waiting or (is_ahead and run.outcome is None)

    @property
    def has_answers(self) -> bool:
        """Whether the learner answered, or was shown, anything that a restart forgets."""
        kept = self._progress().answers
        return any(each.tried or each.status is not QuestionStatus.OPEN for each in kept)

    @property
    def shows_reply(self) -> bool:
        """Whether the reply to an answer is shown until the learner goes on."""
        return self._questions.shown is not None

    @property
    def closes(self) -> bool:
        """Whether the reply that is shown gives way to what the lesson closes with."""
        main = self._runs[None]
        at_end = main.over and main.cursor == main.last
        return self.lesson is not None and self.shows_reply and at_end and self.may_experiment

    @property
    def may_experiment(self) -> bool:
        """Whether variants and the sandbox may be opened: no question is left open."""
        return not self._questions.unanswered() and not self._questions.pending(None)

    @property
    def awaits_prediction(self) -> bool:
        """Whether the program that is shown has not run yet for the learner."""
        return self._questions.pending(self.variant)

    @property
    def leads_on(self) -> bool:
        """Whether the next step is to another program: this one was predicted, and not stepped."""
        return self._questions.prediction(None) is not None and not (
            self.awaits_prediction or self._stepped
        )

    @property
    def guesses(self) -> dict[str, Ending | None]:
        """What was predicted of variants, where the prediction was compared with the run."""
        return self._questions.guesses

    @property
    def finished(self) -> FinishedRun | None:
        """The program's own run, once it is over and what its replays showed is known."""
        return self._runs[None].finished(self.lesson)

    @property
    def outcomes(self) -> dict[str | None, tuple[Outcome, Truth]]:
        """How the lesson (None) and its variants ended, where that is known and may be shown."""
        if not self.may_experiment:
            return {}
        return {
            key: (run.outcome, run.truth)
            for key, run in self._runs.items()
            if run.outcome is not None and run.truth is not None
            if not self._questions.pending(key)
        }

    @property
    def held(self) -> dict[str, bool]:
        """Whether what is claimed of each program of `holds` is true, as far as they have run."""
        found: dict[str, bool] = {}
        for each in () if self.lesson is None else self.lesson.lesson.holds:
            run = self._runs.get(HOLDS + each.id)
            finished = None if run is None else run.finished(self.lesson, each.id)
            if finished is not None:
                found[each.id] = not mismatches(each.expect, finished, None)
        return found

    # What the player reports.

    def restore(self, cursor: int, answers: Iterable[SavedAnswer]) -> None:
        """Take up where the learner was; the cursor goes as far as open questions let it."""
        self._runs[None].goal = cursor
        kept = {answer.question: answer for answer in answers}
        self._questions.restore(kept)
        self._kept = self._progress()

    def start(self) -> list[Instruction]:
        """Run the program, unless that is over: the first thing to do, after `restore`."""
        main = self._runs[None]
        return [] if main.outcome else [signals.RunProgram(run=main.number, program=main.program)]

    def handle(self, signal: signals.Signal) -> list[Instruction]:
        done = self._take(signal)
        for run in self._runs.values():
            run.furthest = max(run.furthest, run.cursor)
        if self.lesson is not None or self._questions.states:
            done += self._keep_up()
        return [*done, *self._search_fixes()]

    def _keep_up(self) -> list[Instruction]:
        """Judge what was answered, and keep how far the learner came."""
        done: list[Instruction] = []
        puzzled, predicted = self._questions.judge_answers(
            lambda state, at, program: self._judge.ruling(state, at, self._runs.get(program))
        )
        if puzzled:
            done.append(Notify(NoticeTexts.unjudged))
        for run in (self._runs[each] for each in predicted):
            run.cursor = run.last if run.cursor < 0 else run.cursor
        main, place = self._runs[None], self._questions.place_of_shown()
        if place is not None and main.cursor == place[0]:
            # Once a question is answered its line runs, and nothing after it.
            main.cursor = min(place[1], self._questions.limit(main.last))
        done += self._end_asking()
        done += self._try_answer()
        progress = self._progress()
        if progress != self._kept and self._runs[None].goal is None:
            self._kept = progress
            done.append(progress)
        return done

    def _take(self, signal: signals.Signal) -> list[Instruction]:
        done: list[Instruction]
        match signal:
            case signals.RunBegan() | signals.StepsArrived() | RunEnded() | signals.TruthKnown():
                done = [*self._report(signal), *self._move_on()]
            case Moved() | signals.RunToLine() | signals.StepChosen() | signals.WriteRequested():
                done = self._movement(signal)
            case signals.ForecastRequested(tensor=tensor):
                done = self._find_forecast(tensor)
            case signals.ForecastKnown() | signals.FixesTried():
                self._keep_found(signal)
                done = []
            case signals.TrialEnded():
                self._judge.take(signal)
                done = []
            case signals.QuestionReopened():
                done = self._reopen()
            case signals.VariantChosen(variant=variant):
                done = self._choose(variant)
            case signals.OutcomesRequested(holds=holds):
                done = self._compare(holds=holds)
            case signals.RunStopped():
                done = self._stop()
            case signals.MovementsDropped():
                self._waiting.clear()
                done = []
            case signals.Restarted(program=program):
                done = self._restart(program)
            case _:  # an answer, a hint, or no more of it for now
                done = self._reply(signal)
        return done

    # The run.

    def _report(self, signal: signals.RunReport) -> list[Instruction]:
        found = [pair for pair in self._runs.items() if pair[1].number == signal.run]
        if not found:
            return []  # cancelled meanwhile
        [(key, run)] = found
        match signal:
            case signals.RunBegan(line=line):
                run.first_line = line
                if key is None:
                    self._questions.gates.begin(line)
            case signals.StepsArrived(steps=steps):
                for step in steps:
                    run.timeline.append(step)
                    if key is None:
                        self._questions.gates.add(step)
                self._follow(key, run)
            case RunEnded(outcome=outcome, faults=faults, off_at=off_at):
                run.timeline.faults, run.timeline.off_at = faults, off_at
                return self._end(key, run, outcome)
            case signals.TruthKnown(truth=truth):
                run.truth, run.verifying = truth, False
        return []

    def _end(self, key: str | None, run: SessionRun, outcome: Outcome) -> list[Instruction]:
        run.end(outcome)
        died = isinstance(outcome, Crashed) and outcome.worker_died
        if died and self.lesson is not None and not self._retried:
            # A lesson's program is harmless and deterministic; a learner's own
            # may have written files, so that one is left as it is.
            self._retried = True
            goal = run.cursor if run.goal is None else run.goal
            return [Notify(NoticeTexts.run_again), self._run(key, run.program, goal=goal)]
        if key is None and run.over:
            self._questions.gates.end(run.timeline)
            self._questions.located = True
        self._follow(key, run)
        run.goal = None
        if not isinstance(outcome, Completed):
            return []
        if key is None and self.lesson is not None and not self.lesson.needs_truth:
            run.truth = Unverified()
            return []
        run.verifying = True
        return [signals.VerifyTruth(run=run.number, program=run.program)]

    def _run(
        self, key: str | None, program: Program, *, goal: int | None = None
    ) -> signals.RunProgram:
        self._numbered += 1
        self._runs[key] = run = SessionRun(self._numbered, program)
        run.goal = goal
        if key is None:
            self._questions.rerun()
        return signals.RunProgram(run=run.number, program=program)

    def _follow(self, key: str | None, run: SessionRun) -> None:
        if run.goal is None:
            return
        limit = self._questions.limit(run.last) if key is None else run.last
        run.cursor = min(run.goal, limit)
        if run.cursor == run.goal:
            run.goal = None

    def _stop(self) -> list[Instruction]:
        """End the run that is shown with the steps that came."""
        run = self._runs[self.variant]
        if run.outcome is not None:
            return []
        ended = self._end(self.variant, run, Cancelled())
        return [signals.CancelRun(run=run.number), *ended, *self._move_on()]

    def _restart(self, program: Program | None) -> list[Instruction]:
        assert program is None or self.lesson is None, "a lesson's program is its author's"
        program = program or self._runs[None].program
        cancelled: list[Instruction] = [
            signals.CancelRun(run=run.number)
            for run in self._runs.values()
            if run.outcome is None or run.verifying or run.searching
        ]
        if self._judge.running is not None:
            cancelled.append(signals.CancelRun(run=self._judge.running))
        self._judge = AnswerJudge(self.lesson)
        self._runs.clear()
        self._waiting.clear()
        self.variant = None
        self._retried = self._stepped = False
        self._last_reply = None
        self._questions.reset()
        return [*cancelled, self._run(None, program)]

    # Fixes and forecasts.

    def _search_fixes(self) -> list[Instruction]:
        """Look for fixes when the failure is in view; what they are would answer a question.

        One search at a time: what another run's has found by now is found again when
        the learner comes back to it.
        """
        run = self._runs[self.variant]
        known = run.over and run.truth is not None and not run.verifying
        if not known or run.search is not None or run.verdict() is None:
            return []
        if not self.may_experiment or self.view().outcome is None:
            return []
        done: list[Instruction] = []
        for other in self._runs.values():
            if other.searching:
                other.search = None
                done.append(signals.CancelRun(run=other.number))
        run.search = FixSearch()
        assert run.truth is not None, "it is ready"
        done.append(
            signals.FindFixes(
                run=run.number,
                program=run.program,
                blame=run.blame(),
                timeline=run.timeline,
                truth=run.truth,
            )
        )
        return done

    def _keep_found(self, signal: signals.ForecastKnown | signals.FixesTried) -> None:
        """Keep what was found for a run; a search that was cancelled may still report."""
        for run in self._runs.values():
            if run.number != signal.run:
                continue
            if isinstance(signal, signals.ForecastKnown):
                key = (signal.step, signal.tensor)
                run.found_forecasts[key] = signal.forecast
                run.pending_forecast = None if run.pending_forecast == key else run.pending_forecast
            elif run.searching:
                run.search = signal.search

    def _find_forecast(self, tensor: int) -> list[Instruction]:
        """Ask replays where the graph is silent, once the run is over and nothing is asked."""
        run, view = self._runs[self.variant], self.view()
        row = view.snapshot.tensors.get(tensor)
        key = (run.cursor, tensor)
        if view.step_forecasts is None or not run.over or row is None or not row.names:
            return []
        if key in run.found_forecasts or key == run.pending_forecast:
            return []
        if not isinstance(view.step_forecasts.of(tensor), Unknown):
            return []
        run.pending_forecast = key
        step, name = run.timeline.steps[run.cursor], row.names[0]
        return [
            signals.FindForecast(
                run=run.number, program=run.program, step=step, tensor=tensor, name=name
            )
        ]

    # Variants.

    def _choose(self, variant: str | None) -> list[Instruction]:
        if variant is not None and not self.may_experiment:
            return [Notify(NoticeTexts.answer_all_first)]
        self._questions.shown = None
        self._waiting.clear()
        self.variant = variant
        return self._start_variants([] if variant is None else [variant])

    def _compare(self, *, holds: bool) -> list[Instruction]:
        if not self.may_experiment or self.lesson is None:
            return [Notify(NoticeTexts.answer_all_first)] if self.lesson else []
        held = [HOLDS + each.id for each in self.lesson.lesson.holds]
        return self._start_variants(held if holds else list(self._questions.guesses))

    def _start_variants(self, variants: list[str]) -> list[Instruction]:
        if self.lesson is None:
            return []
        new = [variant for variant in variants if variant not in self._runs]
        return [self._run(variant, self.lesson.program(variant)) for variant in new]

    # The learner.

    def _movement(self, signal: signals.Movement) -> list[Instruction]:
        """Move, after the movements that wait; a step back takes the last of those back."""
        run = self._runs[self.variant]
        if isinstance(signal, signals.WriteRequested) and self.view().mask.writes:
            open_here = self._questions.barring(run.cursor) is not None
            return [
                Notify(NoticeTexts.answer_first if open_here else NoticeTexts.answer_to_see_more)
            ]
        if self._waiting:
            last, ahead = self._waiting[-1], goes_forward(signal)
            if signal == Moved(Move.BACK) and goes_forward(last) and last not in _ONWARD:
                self._waiting.pop()
                return [Notify(NoticeTexts.taken_back)]
            if ahead or not len(run.timeline):
                self._waiting += [signal] if len(self._waiting) < MAX_WAITING else []
                return [Notify(NoticeTexts.still_running)]
            self._waiting.clear()
        if run.goal is not None and run.outcome is None:
            self._waiting.append(signal)  # it counts from where the learner was
            return [Notify(NoticeTexts.still_running)]
        return self._move(signal)

    def _move_on(self) -> list[Instruction]:
        """Make the movements that waited, as far as the run has come now."""
        run, done = self._runs[self.variant], list[Instruction]()
        if run.goal is not None and run.outcome is None:
            return []
        while self._waiting:
            signal, *rest = self._waiting
            self._waiting = []
            is_there = signal in _ONWARD and run.outcome is not None and run.cursor == run.last
            moved = self._move(signal)
            self._waiting += rest
            if self._waiting != rest:  # it waits again
                break
            done += [] if is_there else moved
        return done

    def _move(self, signal: signals.Movement) -> list[Instruction]:
        run = self._runs[self.variant]
        if self._questions.pending(self.variant):
            return [Notify(NoticeTexts.predict_first)]
        closes = self.closes
        waiting = self.variant is None and self._questions.dismiss(run.cursor)
        if (waiting or closes) and goes_forward(signal):
            return []  # the feedback gives way to the next question, or to the recap
        run.goal = None
        where = move_to(run, signal, bounds(run, self._questions if self.variant is None else None))
        if where == NoticeTexts.still_running:
            self._waiting.append(signal)
        if isinstance(where, LocalText):
            return [Notify(where)]
        run.cursor, self._stepped = where, True
        if signal in _ONWARD and run.outcome is None and where == run.last:
            self._waiting.append(signal)
        return []

    def _reply(self, signal: signals.Reply) -> list[Instruction]:
        if self._questions.pending(self.variant):
            if not isinstance(signal, signals.QuestionLeft):
                notice = self._questions.predict(self.variant, signal)
            else:
                notice = None
                if not self._questions.take_back(self.variant):
                    self.variant = None
        elif self.variant is None:
            notice = self._questions.reply(self._runs[None].cursor, signal)
        else:
            notice = NoticeTexts.no_question
        return [] if notice is None else [Notify(notice)]

    def _reopen(self) -> list[Instruction]:
        main = self._runs[None]
        place = self._questions.reopen(main.cursor)
        if place is None:
            return [Notify(NoticeTexts.none_left)]
        self.variant, main.cursor, main.goal = None, place, None
        return []

    def _try_answer(self) -> list[Instruction]:
        """Run the program as the answer changes it, or as others do to find one that is right."""
        asked = self._questions.at(self._runs[None].cursor)
        state = None if asked is None else self._questions.states[asked.id]
        trial = None if state is None else self._judge.next_trial(state, self._numbered + 1)
        if trial is None:
            return []
        self._numbered += 1
        return [trial]

    def _end_asking(self) -> list[Instruction]:
        """Once nothing more is asked, go to where the run ends."""
        if not self._asks_only or self._last_reply is not None or self._questions.unanswered():
            return []
        asked = self._questions.at(self._runs[None].cursor)
        if asked is None or not asked.status.is_done:
            return []
        self._last_reply = asked.id
        return self._movement(Moved(Move.END))

    def _progress(self) -> SaveProgress:
        main = self._runs[None]
        ended = main.over and main.cursor == main.last
        self._finished |= ended and not self._questions.unanswered()
        lesson, answers = "" if self.lesson is None else self.lesson.id, self._questions.answers()
        return SaveProgress(
            lesson=lesson, cursor=main.cursor, answers=answers, finished=self._finished
        )
