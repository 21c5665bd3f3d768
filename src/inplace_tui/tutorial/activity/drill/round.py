"""One program in front of one learner: predicted, weighed, then the truth and a lesson to read.

Of a program that is right although it writes in place, the truth says why.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from inplace_tui.common.concepts import concept
from inplace_tui.common.run.ending import PREDICTED, Ending, ending_of
from inplace_tui.common.run.outcome import Truth
from inplace_tui.common.run.snapshot import Saved, SlotState
from inplace_tui.common.run.step import Mutation
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.diagnosis.blame.classify import verdict_of_run
from inplace_tui.diagnosis.blame.find_blame import find_blame
from inplace_tui.tutorial.activity.drill.grammar import Drill
from inplace_tui.tutorial.activity.drill.learning import DrillAnswer
from inplace_tui.tutorial.activity.drill.program_writer import TAUGHT_BY
from inplace_tui.tutorial.activity.drill.record import Sureness
from inplace_tui.tutorial.course.course import Course
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson

SURENESS = tuple(Sureness)


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


@dataclass(frozen=True)
class Round:
    """How far the learner is with it."""

    recorded: RecordedDrill
    predicted: Ending | None = None
    sureness: Sureness | None = None

    @property
    def is_answered(self) -> bool:
        """Whether the truth may be seen."""
        return self.sureness is not None

    @property
    def choices(self) -> int:
        """How many answers the question that is open has."""
        if self.is_answered:
            return 0
        return len(PREDICTED if self.predicted is None else SURENESS)

    @property
    def is_right(self) -> bool:
        return self.predicted is self.recorded.ending

    def answered(self, place: int) -> Round:
        """Return it with an answer to the question that is open; the first is 0."""
        if not 0 <= place < self.choices:
            return self
        if self.predicted is None:
            return replace(self, predicted=PREDICTED[place])
        return replace(self, sureness=SURENESS[place])

    def taken_back(self) -> Round:
        """Return it without the prediction, while the truth is not shown."""
        return self if self.is_answered else replace(self, predicted=None)

    def answer(self, day: int) -> DrillAnswer:
        assert self.sureness is not None, "the truth is shown"
        return DrillAnswer(self.recorded.drill, self.is_right, self.sureness, day)


def lesson_after(recorded: RecordedDrill, course: Course) -> LoadedLesson | None:
    """Return the lesson about what went wrong; else about what the program looked like."""
    timeline, truth = recorded.timeline, recorded.truth
    found = find_blame(timeline, truth, source=recorded.drill.source)
    source = recorded.drill.source
    tags = [tag for tag in TAUGHT_BY if tag in recorded.drill.tags]
    wanted = [
        concept(verdict_of_run(timeline, truth), found, source),
        *(each for tag in tags for each in TAUGHT_BY[tag]),
    ]
    return next((lesson for each in wanted if (lesson := course.teaching(each))), None)


@dataclass(frozen=True)
class HarmlessWrite:
    """Why one write did no harm. `key` is one of `common/texts/drill.py: REASONS`."""

    key: str
    line: int
    tensor: str | None = None
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
        for event in step.events:
            if isinstance(event, Mutation) and not (event.op or "").endswith("backward"):
                before = timeline.at(step.began - 1)
                saved = [s for s in before.saved.values() if s.storage == event.storage]
                known = timeline.at(step.index).tensors.get(event.tensor or -1)
                name = min(known.names, key=len) if known is not None and known.names else None
                found.setdefault(event.line, _reason(timeline, event, saved, name))
    return list(found.values())


def _reason(
    timeline: Timeline, event: Mutation, saved: list[Saved], name: str | None
) -> HarmlessWrite:
    held = [each for each in saved if each.state is not SlotState.FREED]
    if not saved:
        return HarmlessWrite("unsaved", event.line, name)
    if not held:
        return HarmlessWrite("spent", event.line, name)
    node = timeline.at(len(timeline) - 1).nodes.get(held[0].node)
    line = None if node is None else node.line
    if line is None:
        return HarmlessWrite("unneeded-somewhere", event.line, name)
    key = "unneeded" if event.before is not None else "indifferent"
    return HarmlessWrite(key, event.line, name, line)
