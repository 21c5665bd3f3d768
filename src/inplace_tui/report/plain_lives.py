"""The lives of the storages in words: what the lanes draw, for whoever can't see a drawing."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from inplace_tui.engine.session.view import View
from inplace_tui.engine.state.aliasing import letter
from inplace_tui.engine.state.lineup import Lane
from inplace_tui.present.cells import wrap
from inplace_tui.present.lane_words import told
from inplace_tui.present.lanes import GRADIENT, Camera, Scene, horizon, standing
from inplace_tui.present.masking import HIDDEN
from inplace_tui.present.rows import Row, Span, Style, Target
from inplace_tui.texts import say
from inplace_tui.texts.lanes import LaneTexts

MOST_LANES = 60
"""Storages that are listed; there may be one for every line of a loop."""

MOST_EVENTS = 6
"""Of each, in the list; all are told of the one that is asked for."""


def rows(view: View, room: int, language: str) -> list[Row]:
    """Return a row or two for every storage, in the order of the lanes."""
    scene = Scene(view, room, Camera(height=MOST_LANES), language)
    if not len(scene.lineup):
        return [Row((Span(say(LaneTexts.none, language), Style.DIM),))]
    found: list[Row] = []
    for lane in scene.lineup[:MOST_LANES]:
        events = _events(scene, lane)
        left = max(0, bisect_right(events, view.cursor) - MOST_EVENTS)
        said = [say(LaneTexts.earlier, language, count=left)] if left else []
        said += [_told(scene, lane, step) for step in events[left:][: MOST_EVENTS + 1]]
        lines = wrap(
            [*_head(scene, lane), Span(say(LaneTexts.then, language).join(said))], room - 4
        )
        target = Target(tensor=scene.tensor(lane))
        for at, line in enumerate(lines):
            found.append(Row((Span("    ") if at else _lead(lane), *line), target))
    if len(scene.lineup) > MOST_LANES:
        more = say(LaneTexts.most, language, count=len(scene.lineup) - MOST_LANES)
        found.append(Row((Span(more, Style.DIM),)))
    return found


def life(view: View, storage: int, room: int, language: str) -> list[Row]:
    """Return all that happened to one storage and to the tensors on it, a row a step."""
    scene = Scene(view, room, Camera(height=MOST_LANES), language)
    found: list[Row] = []
    for lane in scene.lineup:
        if lane.storage != storage:
            continue
        found += [Row((_lead(lane), *line)) for line in wrap(_head(scene, lane), room - 4)]
        found += [
            Row((Span("    "), *line))
            for step in _events(scene, lane)
            for line in wrap([Span(_told(scene, lane, step))], room - 4)
        ]
    return found


def storage_called(view: View, name: str) -> int | None:
    """Return the storage of a letter, as far as it may be known."""
    index = view.timeline.index
    return next(
        (
            storage
            for storage, rank in index.ranks.items()
            if letter(rank) == name and index.lives[storage].born < horizon(view)
        ),
        None,
    )


def _lead(lane: Lane) -> Span:
    return Span("" if lane.tensor is None else "  └ ", Style.DIM)


def _head(scene: Scene, lane: Lane) -> tuple[Span, ...]:
    """Name a lane, with its version at the cursor and whether something saved is stale."""
    view = scene.view
    rank = letter(view.timeline.index.ranks[lane.storage])
    name, look = scene.name(lane)
    if lane.tensor is not None:
        beside = say(LaneTexts.beside, scene.language, letter=rank)
        return Span(name, look), Span(
            f" {say(LaneTexts.life, scene.language, name=beside)}", Style.DIM
        )
    gradient = GRADIENT if scene.is_gradient(lane) else ""
    version, state, stale = standing(scene, lane)
    now = [Span(f"  {version}", state)] if version else []
    if stale:
        now.append(Span(" !", Style.STALE))
    return (
        Span(f"{rank}  ", Style.STRONG),
        Span(f"{gradient}{name}", look),
        *now,
        Span(say(LaneTexts.life, scene.language, name="")),
    )


def _events(scene: Scene, lane: Lane) -> Sequence[int]:
    """Return the steps at which something happened to a lane, as far as that may be told."""
    index = scene.view.timeline.index
    whole = index.lives[lane.storage]
    begins = whole.born if lane.tensor is None else lane.begins
    found = {begins}
    if not scene.hidden(lane) and not scene.view.mask.lines:
        ends = whole.freed if lane.tensor is None else lane.ends
        found |= set() if ends is None else {ends}
        if lane.tensor is None:
            found |= {step for step, _ in (*whole.writes, *whole.held)}
            found |= set() if scene.view.mask.outcome else {step for step, _ in whole.stale}
        else:
            last = scene.until if ends is None else ends
            found |= {s for s in index.written.get(lane.tensor, ()) if begins <= s <= last}
    return sorted(step for step in found if step < scene.until)


def _told(scene: Scene, lane: Lane, step: int) -> str:
    language = scene.language
    line = scene.view.timeline.steps[step].line
    said = told(scene, lane, range(step, step + 1))
    if scene.hidden(lane) or scene.view.mask.lines:
        said = f"{say(LaneTexts.made, language)}, {HIDDEN}"
    when = say(LaneTexts.at, language, step=f"{step + 1:,}", line=line)
    if step > scene.view.cursor:
        when = say(LaneTexts.ahead, language, when=when)
    return say(LaneTexts.happened, language, when=when, said=said)
