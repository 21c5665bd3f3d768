"""Tries general sentences of a lesson in corners of torch that its author did not think of."""

from __future__ import annotations

import json
from collections.abc import Iterator

from inplace_tui.common import paths
from inplace_tui.common.atomic_files import read_whole
from inplace_tui.common.attack import attack
from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import Problem, fill, problem
from inplace_tui.common.run.outcome import Completed, Unverified
from inplace_tui.common.run.program import Limits, Program
from inplace_tui.common.texts.authoring import AuthoringTexts
from inplace_tui.diagnosis.drive.runs import record
from inplace_tui.diagnosis.runner.worker import Worker
from inplace_tui.tutorial.course.lesson import MAX_BYTES, Attack
from inplace_tui.tutorial.course.lessons.claims import FinishedRun, how_it_ended
from inplace_tui.tutorial.course.lessons.loader import LoadedLesson

LIMITS = Limits(seconds=60.0)
"""Some fifty small programs run in one process."""


async def attacked(loaded: LoadedLesson, worker: Worker) -> list[Problem]:
    """Run what every attack of a lesson asks for; return which sentences are refuted."""
    return [
        problem(loaded.path, text, loaded.where("attacks", index))
        for index, each in enumerate(loaded.lesson.attacks)
        for text in await refutations(each, loaded, worker)
    ]


async def refutations(about: Attack, loaded: LoadedLesson, worker: Worker) -> list[LocalText]:
    """Return with what one sentence is not so, and which of its exceptions are none."""
    try:
        corner = read_whole(paths.corners() / f"{about.gap}.py", MAX_BYTES).decode()
    except OSError:
        known = tuple(sorted(each.stem for each in paths.corners().glob("*.py")))
        return [fill(AuthoringTexts.no_corner, gap=about.gap, known=known)]
    source = f"from {attack.__module__} import attack\nattack{about.gap, corner, about.code!r}\n"
    program = Program(source=source, filename="attack.py", origin=loaded.origin)
    timeline = await record(worker, program, LIMITS)
    if not isinstance(timeline.outcome, Completed):
        ended = how_it_ended(FinishedRun(timeline, Unverified(), {}, source))
        return [fill(AuthoringTexts.no_run, how=ended)]
    return [*_not_so(about, json.loads(timeline.printed()))]


def _not_so(about: Attack, found: dict[str, str]) -> Iterator[LocalText]:
    refuted = [name for name, why in found.items() if why and name not in about.but]
    if refuted:
        name, *others = refuted
        told = fill(AuthoringTexts.attack_others, names=tuple(others)) if others else ""
        values = {"gap": about.gap, "name": name, "why": found[name]}
        yield fill(AuthoringTexts.attack_refuted, **values, others=told)
    for name in about.but:
        if not found.get(name):
            yield fill(AuthoringTexts.no_exception, gap=about.gap, name=name)
