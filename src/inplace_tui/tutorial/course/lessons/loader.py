"""Text in, lessons out; or everything that is wrong with it, with its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from inplace_tui.common.lazy import LazyModule
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import FilePosition, LessonError, Problems
from inplace_tui.common.run.program import Origin, Program
from inplace_tui.tutorial.course.lesson import Claim, Lesson, Variant
from inplace_tui.tutorial.course.lessons.anchors import AnchoredCode, find_anchors, swapped

if TYPE_CHECKING:
    from inplace_tui.tutorial.course.lessons import claims, lesson_rules, strict_yaml, validation
    from inplace_tui.tutorial.course.lessons.kinds import registry
    from inplace_tui.tutorial.course.lessons.kinds.kind import AskedQuestion
    from inplace_tui.tutorial.course.lessons.kinds.registry import AnswersView
else:  # what reads files and judges answers: a compiled course is listed without it
    claims = LazyModule("inplace_tui.tutorial.course.lessons.claims")
    lesson_rules = LazyModule("inplace_tui.tutorial.course.lessons.lesson_rules")
    registry = LazyModule("inplace_tui.tutorial.course.lessons.kinds.registry")
    strict_yaml = LazyModule("inplace_tui.tutorial.course.lessons.strict_yaml")
    validation = LazyModule("inplace_tui.tutorial.course.lessons.validation")


HOLDS = "holds/"
"""Before the id of a program of `holds`, where variants are named too."""


@dataclass(frozen=True)
class LoadedLesson:
    """A lesson whose file is in order. Whether it is true, `check` finds out."""

    lesson: Lesson
    path: str
    anchored: AnchoredCode
    text: str
    """Of the file."""

    origin: Origin
    made: Mapping[str, AskedQuestion[AnswersView]] = field(default_factory=dict)
    """Questions that no file asks, by their ids; their steps are among the lesson's."""

    @property
    def code(self) -> str:
        return self.anchored.code

    @property
    def anchors(self) -> dict[str, int]:
        return self.anchored.anchors

    @property
    def needs_truth(self) -> bool:
        """Whether replays of its own program are needed to judge it."""
        is_asked = any(each.asks_outcome for each in self.questions.values())
        return is_asked or any(map(claims.needs_truth, self.own_claims))

    @property
    def own_claims(self) -> list[Claim]:
        """What is claimed of its own program, choices that are not true included."""
        made = [claim for question in self.questions.values() for claim in question.claims]
        return [*made, *(step.expect for step in self.lesson.steps if step.expect)]

    @property
    def links(self) -> tuple[str, ...]:
        about = self.lesson
        return (*([about.docs] if about.docs else []), *about.links)

    @cached_property
    def questions(self) -> dict[str, AskedQuestion[AnswersView]]:
        asked = [step.ask for step in self.lesson.steps if step.ask]
        return {
            each.id: self.made.get(each.id) or registry.KINDS[each.kind](each, self.anchored)
            for each in asked
        }

    def where(self, *path: str | int) -> FilePosition:
        """Return where something is written: `where("steps", 2, "ask")`."""
        return strict_yaml.position_in(self.text, *path)

    def variant(self, id: str) -> Variant:  # noqa: A002  # the file's own word
        """Return the variant with that id.

        Raises:
            KeyError: there is none.
        """
        for each in self.lesson.variants:
            if each.id == id:
                return each
        raise KeyError(id)

    @cached_property
    def variants(self) -> dict[str, AnchoredCode]:
        return {v.id: find_anchors(swapped(self.anchored, v.swap))[0] for v in self.lesson.variants}

    @cached_property
    def held(self) -> dict[str, AnchoredCode]:
        """The programs that hold its general sentences, by their ids."""
        return {each.id: find_anchors(each.code)[0] for each in self.lesson.holds}

    def program(self, variant: str | None = None) -> Program:
        """Return what to run: a variant, a program of `holds`, or the lesson's own.

        Raises:
            KeyError: there is no such variant.
        """
        if variant is None:
            return self.program_of(self.anchored)
        if variant.startswith(HOLDS):
            return self.program_of(self.held[variant.removeprefix(HOLDS)])
        return self.program_of(self.variants[variant])

    def title_of(self, variant: str) -> LocalText:
        if variant.startswith(HOLDS):
            return next(h.title for h in self.lesson.holds if HOLDS + h.id == variant)
        return self.variant(variant).title

    def program_of(self, anchored: AnchoredCode) -> Program:
        return Program(
            source=anchored.code,
            filename=f"{self.lesson.id}.py",
            seed=self.lesson.seed,
            origin=self.origin,
        )


def load_lesson(text: str, path: str, *, origin: Origin) -> LoadedLesson:
    """Return the lesson in `text`.

    Problems name `path`, whose last part gives the id if it is `<number>-<id>.yaml`.

    Raises:
        LessonError: not YAML, or not a lesson. It names every offending line.
    """
    problems = Problems(path)
    root = strict_yaml.parse(text, problems)
    if root is None:
        raise LessonError(problems.sorted())
    lesson, found = validation.validate(root, Lesson, problems)
    anchored = lesson_rules.program(root, text, problems)
    lesson_rules.texts(found.texts, problems)
    lesson_rules.titles(root, problems)
    lesson_rules.ids(root, problems)
    lesson_rules.file_name(root, path, problems)
    lesson_rules.held(root, text, found.anchors, problems)
    lesson_rules.questions(root, anchored, problems)
    if anchored is not None:
        lesson_rules.references(root, found.anchors, anchored, problems)
    if problems or lesson is None or anchored is None:
        raise LessonError(problems.sorted())
    return LoadedLesson(lesson, path, anchored, text, origin)
