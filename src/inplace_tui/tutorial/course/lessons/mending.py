"""What a lesson offers to be fixed after it, as a challenge."""

from __future__ import annotations

from dataclasses import dataclass

from inplace_tui.common.problems import FilePosition, fill
from inplace_tui.common.run.ending import Ending
from inplace_tui.common.texts.challenges import ChallengeTexts
from inplace_tui.tutorial.course import edits
from inplace_tui.tutorial.course.lesson import MEND, Challenge, Claim, Mend
from inplace_tui.tutorial.course.lessons.anchors import find_anchors, swapped
from inplace_tui.tutorial.course.lessons.loader import LoadedChallenge, LoadedLesson


@dataclass(frozen=True)
class LoadedMending(LoadedChallenge):
    """A challenge in the file of a lesson."""

    def where(self, *path: str | int) -> FilePosition:
        is_there = path[:1] and path[0] in Mend.__struct_fields__
        return super().where("mend", *(path if is_there else ()))


def challenge_of(loaded: LoadedLesson, mend: Mend) -> LoadedMending:
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
