"""What is settled before a screen opens."""

from __future__ import annotations

import asyncio

from inplace_tui.commands.saying import people
from inplace_tui.commands.spoken import Refusal, Settings
from inplace_tui.commands.targets import built_in_lesson, course_in, lesson_called, target
from inplace_tui.commands.trusting import require_trust
from inplace_tui.drive.play import play
from inplace_tui.engine.lessons.anchors import place_in_order
from inplace_tui.engine.lessons.claims import FinishedRun, visit
from inplace_tui.texts import say
from inplace_tui.texts.command import CommandTexts, ErrorTexts


def place(settings: Settings, name: str | None) -> tuple[str | None, int | None]:
    """Return the lesson's id and the number of the step in `ID@STEP`.

    Raises:
        Refusal: there is no such lesson, or it has no such step.
    """
    if name is None:
        return None, None
    identity, _, step = name.partition("@")
    loaded = built_in_lesson(identity, settings.lessons) or lesson_called(
        identity, course_in(settings.lessons)
    )
    if not step or step.isdecimal():
        return identity, int(step) if step else None
    anchor = step.removesuffix("#1")
    if anchor.partition("#")[0] not in loaded.anchors:
        example = next(iter(loaded.anchors), "1")
        raise Refusal(ErrorTexts.no_step, name=step, id=identity, example=example)
    if anchor in loaded.anchors:
        ordinal = place_in_order(loaded.code, loaded.anchors[anchor])
        if ordinal is not None:
            return identity, ordinal + 1
    wanted = target(identity, lessons=settings.lessons, variant=None, arguments=(), seconds=None)
    require_trust(wanted.pack, settings)
    people(say(CommandTexts.loading, settings.language))
    played = asyncio.run(play(wanted.program, wanted.limits, once=True))
    found = visit(FinishedRun(played.timeline, played.truth, loaded.anchors), step)
    return identity, None if found is None else found.index + 1
