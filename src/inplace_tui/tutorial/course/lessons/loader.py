"""Text in, lessons and challenges out; or everything that is wrong with it, with its place."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

import msgspec

from inplace_tui.common.lazy import LazyModule
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import FilePosition, LessonError, Problems, fill
from inplace_tui.common.run.ending import Ending
from inplace_tui.common.run.program import Origin, Program
from inplace_tui.common.texts.challenges import ChallengeTexts
from inplace_tui.tutorial.course.lesson import MEND, Challenge, Claim, Lesson, Mend, Variant
from inplace_tui.tutorial.course.lessons.anchors import (
    NAMED_LINE,
    AnchoredCode,
    find_anchors,
    swapped,
)

if TYPE_CHECKING:
    from inplace_tui.tutorial.course import edits
    from inplace_tui.tutorial.course.lessons import claims, lesson_rules, strict_yaml, validation
    from inplace_tui.tutorial.course.lessons.kinds import registry
    from inplace_tui.tutorial.course.lessons.kinds.kind import AskedQuestion
else:  # what reads files and judges answers: a compiled course is listed without it
    edits = LazyModule("inplace_tui.tutorial.course.edits")
    claims = LazyModule("inplace_tui.tutorial.course.lessons.claims")
    lesson_rules = LazyModule("inplace_tui.tutorial.course.lessons.lesson_rules")
    registry = LazyModule("inplace_tui.tutorial.course.lessons.kinds.registry")
    strict_yaml = LazyModule("inplace_tui.tutorial.course.lessons.strict_yaml")
    validation = LazyModule("inplace_tui.tutorial.course.lessons.validation")


HOLDS = "holds/"
"""Before the id of a program of `holds`, where variants are named too."""


@dataclass(frozen=True)
class _LoadedFile:
    """A file that is in order. Whether what it says is true, `check` finds out."""

    path: str
    anchored: AnchoredCode
    text: str
    """Of the file."""

    origin: Origin

    @property
    def code(self) -> str:
        return self.anchored.code

    def where(self, *path: str | int) -> FilePosition:
        """Return where something is written: `where("steps", 2, "ask")`."""
        return strict_yaml.position_in(self.text, *path)


@dataclass(frozen=True)
class LoadedLesson(_LoadedFile):
    """A lesson."""

    lesson: Lesson
    bridges: tuple[LocalText, ...] = ()
    """What a path says at its start of concepts that the path left out."""

    @property
    def id(self) -> str:
        return self.lesson.id

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
    def questions(self) -> dict[str, AskedQuestion]:
        asked = [step.ask for step in self.lesson.steps if step.ask]
        return {each.id: registry.rules_of(each)(each, self.anchored) for each in asked}

    def variant(self, id: str) -> Variant:  # noqa: A002  # the file's own word
        return next(each for each in self.lesson.variants if each.id == id)

    @cached_property
    def variants(self) -> dict[str, AnchoredCode]:
        return {v.id: find_anchors(swapped(self.anchored, v.swap))[0] for v in self.lesson.variants}

    @cached_property
    def held(self) -> dict[str, AnchoredCode]:
        """The programs that hold its general sentences, by their ids."""
        return {each.id: find_anchors(each.code)[0] for each in self.lesson.holds}

    @cached_property
    def mending(self) -> LoadedChallenge | None:
        """The challenge that `mend` makes of one of its programs."""
        return None if self.lesson.mend is None else _mending(self, self.lesson.mend)

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
        code, seed = anchored.code, self.lesson.seed
        return Program(source=code, filename=f"{self.id}.py", seed=seed, origin=self.origin)


@dataclass(frozen=True)
class LoadedChallenge(_LoadedFile):
    """A challenge."""

    challenge: Challenge

    @property
    def id(self) -> str:
        return self.challenge.id

    @property
    def kept(self) -> dict[str, int]:
        """Anchor to first line, of the statements that must stay."""
        return {name: self.anchored.anchors[name] for name in self.challenge.keep}

    def lines_named(self, text: str) -> dict[str, int]:
        """Return anchor to first line, of the lines that a hint names: `{anchor}`."""
        anchors = self.anchored.anchors
        return {name: anchors[name] for name in NAMED_LINE.findall(text) if name in anchors}

    @cached_property
    def solved_code(self) -> str:
        return find_anchors(swapped(self.anchored, self.challenge.solution))[0].code

    def program(self, source: str | None = None) -> Program:
        """Return what to run: an edited source, else the program as it is."""
        code, seed = self.code if source is None else source, self.challenge.seed
        name = self.id.replace("/", "-")
        return Program(source=code, filename=f"{name}.py", seed=seed, origin=self.origin)


S = TypeVar("S", bound=msgspec.Struct)


@dataclass(frozen=True)
class FileRead(Generic[S]):
    """What is in a file, before the rules of its kind are held against it."""

    text: str
    root: strict_yaml.Node
    content: S | None
    anchors: list[tuple[strict_yaml.Path, strict_yaml.ScalarNode]]
    problems: Problems

    def checked(self) -> S:
        """Return what it says, if nothing is wrong with it.

        Raises:
            LessonError: something is.
        """
        if self.problems or self.content is None:
            raise LessonError(self.problems.sorted())
        return self.content


def read(content: str | bytes, path: str, kind: type[S]) -> FileRead[S]:
    """Read a file as one kind of thing, and compare its texts in all languages.

    Raises:
        LessonError: not YAML.
    """
    text = strict_yaml.decode(content, path) if isinstance(content, bytes) else content
    problems = Problems(path)
    root = strict_yaml.parse(text, problems)
    if root is None:
        raise LessonError(problems.sorted())
    about, found = validation.validate(root, kind, problems)
    lesson_rules.texts(found.texts, problems)
    return FileRead(text, root, about, found.anchors, problems)


def load_lesson(content: str | bytes, path: str, *, origin: Origin) -> LoadedLesson:
    """Return the lesson in a file.

    Problems name `path`, whose last part gives the id if it is `<number>-<id>.yaml`.

    Raises:
        LessonError: not YAML, or not a lesson. It names every offending line.
    """
    file = read(content, path, Lesson)
    root, problems = file.root, file.problems
    anchored = lesson_rules.program(root, file.text, problems)
    lesson_rules.titles(root, problems)
    lesson_rules.ids(root, problems)
    lesson_rules.file_name(root, path, problems)
    lesson_rules.held(root, file.text, file.anchors, problems)
    lesson_rules.questions(root, anchored, problems)
    if anchored is not None:
        lesson_rules.references(root, file.anchors, anchored, problems)
    lesson = file.checked()
    assert anchored is not None, "nothing is wrong with its code"
    loaded = LoadedLesson(path, anchored, file.text, origin, lesson)
    if loaded.mending is not None:
        about = loaded.mending
        lesson_rules.challenge(root, about.challenge, about.anchored, problems, above=("mend",))
        file.checked()
    return loaded


def load_challenge(content: str | bytes, path: str, *, origin: Origin) -> LoadedChallenge:
    """Return the challenge in a file; problems name `path`, which is `<number>-<id>.yaml`.

    Raises:
        LessonError: not YAML, or not a challenge. It names every offending line.
    """
    file = read(content, path, Challenge)
    root, problems = file.root, file.problems
    anchored = lesson_rules.program(root, file.text, problems)
    lesson_rules.titles(root, problems)
    lesson_rules.file_name(root, path, problems)
    if anchored is not None:
        lesson_rules.references(root, file.anchors, anchored, problems)
    challenge = file.checked()
    assert anchored is not None, "nothing is wrong with its code"
    lesson_rules.challenge(root, challenge, anchored, problems)
    return LoadedChallenge(path, anchored, file.text, origin, file.checked())


@dataclass(frozen=True)
class LoadedMending(LoadedChallenge):
    """A challenge in the file of a lesson."""

    def where(self, *path: str | int) -> FilePosition:
        is_there = path[:1] and path[0] in Mend.__struct_fields__
        return super().where("mend", *(path if is_there else ()))


def _mending(loaded: LoadedLesson, mend: Mend) -> LoadedMending:
    """Return the challenge; its goal is that the program runs with right gradients."""
    lesson = loaded.lesson
    anchored = loaded.anchored if mend.of is None else loaded.variants[mend.of]
    solved = find_anchors(swapped(anchored, mend.solution))[0].code
    about = Challenge(
        schema=1,
        id=f"{lesson.id}{MEND}",
        title=fill(ChallengeTexts.mend_of, title=lesson.title),
        task=mend.task or ChallengeTexts.mend_task,
        needs=lesson.teaches,
        difficulty=lesson.difficulty,
        seed=lesson.seed,
        code=anchored.code,
        goal=Claim(ends=Ending.RIGHT),
        keep=mend.keep,
        same=mend.same,
        once=mend.once,
        forbid=mend.forbid,
        par=edits.lines_changed(anchored.code, solved),
        solution=mend.solution,
        explain=mend.explain,
        hints=mend.hints,
    )
    return LoadedMending(loaded.path, anchored, loaded.text, loaded.origin, about)
