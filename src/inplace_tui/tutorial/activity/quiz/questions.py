"""Lessons of one question each, made from what the course has and what the drill makes up.

A checkpoint draws five of them, then asks four about one program. Which answer is right is
written nowhere: claims are tested against the run, as in any lesson.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

import msgspec

from inplace_tui.common.decodable import decodable
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import fill
from inplace_tui.common.run.ending import PREDICTED, Ending
from inplace_tui.common.run.program import Origin
from inplace_tui.common.texts.quiz import QuizTexts
from inplace_tui.tutorial.activity.drill import grammar
from inplace_tui.tutorial.activity.drill.learning import drill_name
from inplace_tui.tutorial.activity.drill.sketch import TAUGHT_BY
from inplace_tui.tutorial.activity.quiz.names import CHECKPOINT, DRILL, is_known, lesson_of
from inplace_tui.tutorial.course.course import Course, LoadedChapter
from inplace_tui.tutorial.course.lesson import (
    VARIANT_QUESTION,
    Choice,
    Claim,
    Kind,
    Lesson,
    LessonStep,
    Question,
)
from inplace_tui.tutorial.course.lessons.anchors import name_statements
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson

MAX_VERSIONS = 4
_SAVER, _VERSION, _WRITER, _READER = "saver", "version", "writer", "reader"


def question(name: str, course: Course) -> LoadedLesson | None:
    """Return the lesson with just the question of that name; None if there is none any more."""
    place, _, asked = name.partition("/")
    if not is_known(name, course):
        return None
    if place == DRILL:
        parts = [int(part) if part.isdecimal() else -1 for part in asked.split("-")]
        if len(parts) != 3 or parts[0] != grammar.VERSION or min(parts) < 0:
            return None
        return drill_question(parts[2], parts[1]) if 1 <= parts[1] <= grammar.LEVELS else None
    if place.startswith(CHECKPOINT):
        chapter = course.find_chapter(place.removeprefix(CHECKPOINT))
        return None if chapter is None else four_questions(course, chapter, asked)
    loaded = lesson_of(name, course)
    assert loaded is not None, "it is known"
    if asked.startswith(VARIANT_QUESTION):
        return variant_question(loaded, asked.removeprefix(VARIANT_QUESTION))
    return _of_lesson(loaded, asked)


def variant_question(loaded: LoadedLesson, variant: str) -> LoadedLesson:
    """Return a lesson that asks how a variant ends."""
    about = loaded.variant(variant)
    title = fill(QuizTexts.of_lesson, title=loaded.lesson.title)
    asked = _ending(f"{VARIANT_QUESTION}{variant}", title, about.say)
    made = _lesson_asking(loaded.lesson.id, loaded.variants[variant].code, [asked], loaded.origin)
    lesson = msgspec.structs.replace(
        made.lesson, seed=loaded.lesson.seed, watch=loaded.lesson.watch
    )
    return replace(made, lesson=lesson, path=loaded.path)


def drill_question(seed: int, level: int) -> LoadedLesson:
    """Return a lesson that asks how a program of the drill ends."""
    source = grammar.make(seed, level).source
    asked = _ending(drill_name(seed, level), QuizTexts.made_up, None)
    return _lesson_asking(DRILL, source, [asked], Origin.BUILT_IN)


def _of_lesson(loaded: LoadedLesson, asked: str) -> LoadedLesson:
    """Return a lesson without its other questions; its words stay, up to the one asked."""
    others = [key for key in loaded.questions if key != asked]
    steps = [
        msgspec.structs.replace(step, ask=None) if step.ask and step.ask.id in others else step
        for step in loaded.lesson.steps
    ]
    lesson = msgspec.structs.replace(loaded.lesson, steps=steps, variants=[], holds=[])
    return replace(loaded, lesson=lesson)


def four_questions(
    course: Course, chapter: LoadedChapter, only: str | None = None
) -> LoadedLesson | None:
    """Return a lesson about a chapter's program that fails.

    It asks who saved, at which version, who wrote and who needs it; of versions only if they were
    taught, or may have been: what a pack requires may be taught elsewhere.
    """
    checkpoint = chapter.chapter.checkpoint
    if checkpoint is None:
        return None
    code = checkpoint.code
    lines = name_statements(code).anchors
    asked = [
        _line(_SAVER, "saved_by", lines, QuizTexts.saver, QuizTexts.saver_why),
        Question(
            id=_VERSION,
            kind=Kind.VALUE,
            prompt=QuizTexts.version,
            choices=[
                Choice(
                    id=f"v{number}",
                    when=Claim(match=f"expected version {number} instead"),
                    text=fill(QuizTexts.at_version, number=number),
                    why=QuizTexts.version_why,
                )
                for number in range(MAX_VERSIONS)
            ],
        ),
        _line(_WRITER, "changed_by", lines, QuizTexts.writer, QuizTexts.writer_why),
        _line(_READER, "raised_by", lines, QuizTexts.reader, QuizTexts.reader_why),
    ]
    taught = course.taught_up_to(chapter)
    if chapter.origin is Origin.BUILT_IN and "version-counter" not in taught:
        asked = [each for each in asked if each.id != _VERSION]
    wanted = [each for each in asked if only in (None, each.id)]
    if not wanted:
        return None
    made = _lesson_asking(f"{CHECKPOINT}{chapter.slug}", code, wanted, chapter.origin)
    lesson = msgspec.structs.replace(made.lesson, seed=checkpoint.seed, requires=sorted(taught))
    return replace(made, lesson=lesson, path=chapter.path, text=chapter.text)


def _line(
    identity: str, role: str, lines: Iterable[str], prompt: LocalText, why: LocalText
) -> Question:
    choices = [
        Choice(id=name, at=name, when=msgspec.convert({role: name}, decodable(Claim)), why=why)
        for name in lines
    ]
    kind = Kind.LINE
    return Question(id=identity, kind=kind, prompt=prompt, choices=choices, elsewhere=why)


def _ending(identity: str, about: LocalText, say: LocalText | None) -> Question:
    """Return the question how a program ends, with the replies to its answers."""
    prompt = fill(QuizTexts.what_happens, about=about)
    return Question(id=identity, kind=Kind.OUTCOME, prompt=prompt, elsewhere=say)


def _lesson_asking(identity: str, code: str, asked: list[Question], origin: Origin) -> LoadedLesson:
    """Return a lesson that asks these questions before anything has run."""
    anchored = name_statements(code)
    first = min(anchored.anchors, key=lambda name: anchored.anchors[name])
    lesson = Lesson(
        schema=1,
        id=identity,
        title=QuizTexts.checkpoint,
        teaches=[],
        difficulty=1,
        minutes=1,
        code=code,
        steps=[LessonStep(at=first, ask=each) for each in asked],
        recap=QuizTexts.checkpoint,
    )
    return LoadedLesson(identity, anchored, "", origin, lesson)


MIXED = 5
VARIANTS = 3
"""Of the five, as many as the chapter has; the others are made up."""

ALIKE = 2
"""Of the five, so many at most end in the same way: else one answer to all would do."""

SEEDS = 10**6
DRAWS = 24
"""Programs that are made up for the five; those that need what was not taught are left out."""


@dataclass(frozen=True)
class Decision:
    """What has to be seen to answer a question, as far as that is known without a run."""

    ending: Ending
    topics: frozenset[str]
    """The concepts that it is about, as lessons name them."""

    def fits(self, others: list[Decision]) -> bool:
        """Whether none of the others asks for the same, and not all end alike."""
        alike = [each for each in others if each.ending is self.ending]
        return len(alike) < ALIKE and not any(each.topics & self.topics for each in alike)


def checkpoint(course: Course, chapter: LoadedChapter, seed: str) -> tuple[LoadedLesson, ...]:
    """Return a checkpoint's lessons, of one question each but for the last, which asks four.

    Nothing in them needs what is taught only later.
    """
    random = Random(seed)  # noqa: S311  # the same for whoever goes on with it
    decisions: list[Decision] = []
    drawn: list[LoadedLesson] = []
    left: list[tuple[LoadedLesson, str]] = []
    for lesson, variant in _variants(chapter, random):
        asked = decision_of(lesson, variant)
        if len(drawn) < VARIANTS and asked.fits(decisions):
            decisions.append(asked)
            drawn.append(variant_question(lesson, variant))
        else:
            left.append((lesson, variant))
    place = course.chapters.index(chapter) / max(1, len(course.chapters) - 1)
    level, taught = 1 + round(place * (grammar.LEVELS - 1)), course.taught_up_to(chapter)
    for _ in range(DRAWS):
        if len(drawn) == MIXED:
            break
        number = random.randrange(SEEDS)
        made_up = grammar.make(number, level)
        asked = decision_of_drill(made_up)
        needs = {concept for tag in made_up.tags for concept in TAUGHT_BY[tag]}
        if needs <= taught and asked.fits(decisions):
            decisions.append(asked)
            drawn.append(drill_question(number, level))
    drawn += [variant_question(*each) for each in left[: MIXED - len(drawn)]]
    random.shuffle(drawn)
    four = four_questions(course, chapter)
    assert four is not None, "the chapter has a checkpoint"
    return (*drawn, four)


def placement(lessons: Sequence[LoadedLesson], seed: str) -> tuple[LoadedLesson, ...]:
    """Return a question each about up to five of these lessons, spread over all of them."""
    random = Random(seed)  # noqa: S311  # the same for whoever asks again at once
    asked = [each for each in lessons if _judged(each)]
    places = {round((n + 1) * len(asked) / MIXED) - 1 for n in range(min(MIXED, len(asked)))}
    chosen = [asked[place] for place in sorted(places)]
    return tuple(variant_question(each, random.choice(_judged(each))) for each in chosen)


def decision_of(loaded: LoadedLesson, variant: str) -> Decision:
    ends = loaded.variant(variant).expect.ends
    assert isinstance(ends, Ending), "only what is judged is drawn"
    return Decision(ends, frozenset(loaded.lesson.teaches))


def decision_of_drill(made: grammar.Drill) -> Decision:
    telling = next(tag for tag in TAUGHT_BY if tag in made.tags)
    return Decision(made.guess, frozenset(TAUGHT_BY[telling]))


def _judged(loaded: LoadedLesson) -> list[str]:
    """Return its variants but for those of which `runs` alone is known: no answer is right."""
    return [each.id for each in loaded.lesson.variants if each.expect.ends in PREDICTED]


def _variants(chapter: LoadedChapter, random: Random) -> Iterator[tuple[LoadedLesson, str]]:
    """Yield variants of different lessons first, then others of the same."""
    rounds = [random.sample(found := _judged(each), len(found)) for each in chapter.lessons]
    order = random.sample(range(len(rounds)), len(rounds))
    for turn in range(max(map(len, rounds), default=0)):
        for lesson in order:
            if turn < len(rounds[lesson]):
                yield chapter.lessons[lesson], rounds[lesson][turn]
