"""A program of the drill that was run: what is asked of it, its truth, and a lesson to read.

Of a program that is right although it writes in place, the truth says why.
"""

from __future__ import annotations

from dataclasses import dataclass

from inplace_tui.common.concepts import concepts
from inplace_tui.common.run.ending import Ending, ending_of
from inplace_tui.common.run.outcome import Truth
from inplace_tui.common.run.snapshot import Saved, SlotState
from inplace_tui.common.run.step import Mutation
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.texts.drill import DrillQuestionTexts
from inplace_tui.common.texts.endings import ANSWERS
from inplace_tui.diagnosis.blame.classify import verdict_of_run
from inplace_tui.diagnosis.blame.find_blame import find_blame
from inplace_tui.tutorial.activity.drill.grammar import Drill
from inplace_tui.tutorial.activity.drill.learning import DrillAnswer
from inplace_tui.tutorial.activity.drill.record import Sureness
from inplace_tui.tutorial.activity.drill.sketch import TAUGHT_BY
from inplace_tui.tutorial.activity.session.saved import QuestionStatus, SavedAnswer
from inplace_tui.tutorial.activity.session.session import Session
from inplace_tui.tutorial.course.course import Course
from inplace_tui.tutorial.course.lesson import Kind, Question
from inplace_tui.tutorial.course.lessons.anchors import name_statements
from inplace_tui.tutorial.course.lessons.kinds.choice import EndingQuestion
from inplace_tui.tutorial.course.lessons.kinds.kind import (
    AnswerProgress,
    AnswerRuns,
    ChoicesView,
    Ruling,
)
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson

SURENESSES = {
    Sureness.SURE: DrillQuestionTexts.sure,
    Sureness.THINK: DrillQuestionTexts.think,
    Sureness.GUESS: DrillQuestionTexts.guess,
}


class EndingAndSureness(EndingQuestion):
    """How a program ends, and then how sure one is of that: an answer is `wrong sure`."""

    def parse(self, given: str, draft: str) -> str | None:
        answer = f"{draft} {given}" if draft else given
        return answer if answer in ANSWERS or self.is_answer(answer) else None

    def is_answer(self, answer: str) -> bool:
        ending, _, sureness = answer.partition(" ")
        return ending in ANSWERS and sureness in SURENESSES

    def ruling(self, tried: tuple[str, ...], seen: AnswerRuns) -> Ruling | None:
        return super().ruling(tuple(each.partition(" ")[0] for each in tried), seen)

    def view(self, progress: AnswerProgress) -> ChoicesView:
        answers = SURENESSES.items() if progress.draft else ANSWERS.items()
        return ChoicesView(tuple((key.value, text) for key, text in answers))


def sureness_of(answer: str) -> Sureness:
    return Sureness(answer.partition(" ")[2])


@dataclass(frozen=True)
class RecordedDrill:
    """A program that was run, and came out in one of the four ways."""

    drill: Drill
    timeline: Timeline
    truth: Truth
    repeat: bool = False

    @property
    def ending(self) -> Ending:
        assert self.timeline.outcome is not None, "it has run"
        return ending_of(self.timeline.outcome, self.truth)

    def session(self) -> Session:
        """Return a session that shows nothing of the run before it is predicted."""
        prompt = DrillQuestionTexts.prompt_again if self.repeat else DrillQuestionTexts.prompt
        asked = Question(id=f"drill-{self.drill.seed}", kind=Kind.OUTCOME, prompt=prompt)
        program = self.drill.program
        question = EndingAndSureness(asked, name_statements(program.source))
        return Session.of_recording(program, self.timeline, self.truth, asked=question)

    def answered(self, answer: SavedAnswer, day: int) -> DrillAnswer:
        right = answer.status is QuestionStatus.RIGHT
        return DrillAnswer(self.drill, right, sureness_of(answer.tried[-1]), day)


def lesson_after(recorded: RecordedDrill, course: Course) -> LoadedLesson | None:
    """Return the lesson about what went wrong; else about what the program looked like."""
    timeline, truth = recorded.timeline, recorded.truth
    found = find_blame(timeline, truth, source=recorded.drill.source)
    source = recorded.drill.source
    tags = [tag for tag in TAUGHT_BY if tag in recorded.drill.tags]
    wanted = [
        *concepts(verdict_of_run(timeline, truth), found, source)[:1],
        *(each for tag in tags for each in TAUGHT_BY[tag]),
    ]
    return next((lesson for each in wanted if (lesson := course.teaching(each))), None)


@dataclass(frozen=True)
class HarmlessWrite:
    """Why one write did no harm. `key` is one of `common/texts/drill.py: REASONS`."""

    key: str
    line: int
    saved: int | None = None
    """The line that saved it."""


def harmless_writes(timeline: Timeline, source: str) -> list[HarmlessWrite]:
    found = _writes(timeline)
    lines = enumerate(source.splitlines(), 1)
    backwards = [(number, line) for number, line in lines if ".backward(" in line]
    if len(backwards) > 1:
        (first, text), (second, _) = backwards[0], backwards[-1]
        key = "kept" if "retain_graph=True" in text else "nothing-freed"
        found.append(HarmlessWrite(key, second, saved=first))
    return found


def _writes(timeline: Timeline) -> list[HarmlessWrite]:
    found: dict[int, HarmlessWrite] = {}
    for step in timeline:
        for event in step.mutations:
            if not (event.op or "").endswith("backward"):
                before = timeline.at(step.began - 1)
                saved = [s for s in before.saved.values() if s.storage == event.storage]
                found.setdefault(event.line, _reason(timeline, event, saved))
    return list(found.values())


def _reason(timeline: Timeline, event: Mutation, saved: list[Saved]) -> HarmlessWrite:
    held = [each for each in saved if each.state is not SlotState.FREED]
    if not held:
        return HarmlessWrite("spent" if saved else "unsaved", event.line)
    node = timeline.at(len(timeline) - 1).nodes.get(held[0].node)
    line = None if node is None else node.line
    if line is None:
        return HarmlessWrite("unneeded-somewhere", event.line)
    key = "unneeded" if event.before is not None else "indifferent"
    return HarmlessWrite(key, event.line, line)
