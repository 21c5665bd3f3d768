"""The life of one tensor, from its making to the failure: a mark for each line that matters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from inplace_tui.common.blame import Blame
from inplace_tui.common.cells import clean, clip_spans, pad, width
from inplace_tui.common.rows import Row, Span, Style
from inplace_tui.common.run.files import place_of
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.texts import say
from inplace_tui.common.texts.desk import DeskTexts
from inplace_tui.common.verdicts import Verdict

MOST_WRITES = 3
GAP = 2

ALIVE, HELD, STALE = "─", "━", "╍"


@dataclass(frozen=True)
class Moment:
    """Something that happened to the tensor."""

    line: int
    mark: str
    says: str
    style: Style
    then: str
    """The line that is drawn from here on."""


def moments(timeline: Timeline | None, blame: Blame, language: str) -> list[Moment]:
    """Return what happened to the tensor at fault, in order of time: what one line did, once."""
    found = list(_moments(timeline, blame, language))
    if len(found) > 1 and found[0].mark == "○" and found[1].line == found[0].line:
        made, saved = found[:2]
        says = say(DeskTexts.both, language, one=made.says, other=saved.says)
        found[:2] = [replace(saved, says=says)]
    return found


def _moments(timeline: Timeline | None, blame: Blame, language: str) -> Iterator[Moment]:
    refused, freed = blame.verdict.is_refused_write, blame.verdict is Verdict.GRAPH_FREED
    storage = next((each.storage for each in blame.writes if each.storage is not None), None)
    life = None if timeline is None or storage is None else timeline.index.lives.get(storage)
    if life is not None and timeline is not None and not freed:
        made = timeline.steps[life.born].line
        yield Moment(made, "○", say(DeskTexts.made, language), Style.NEW, ALIVE)
    saver = blame.saver
    if saver is not None and saver.line is not None:
        text = DeskTexts.saved if saver.version is None else DeskTexts.saved_at
        said = say(DeskTexts.in_graph if freed else text, language, version=saver.version)
        yield Moment(saver.line, "◆", said, Style.SAVED, HELD)
    for place, write in enumerate(blame.writes[:MOST_WRITES]):
        left = len(blame.writes) - MOST_WRITES
        said = f"v{write.after}"
        if freed or refused:
            said = say(DeskTexts.freed if freed else DeskTexts.refused, language)
        elif write.after is None or write.after == write.before:
            said = say(DeskTexts.uncounted, language)
        if place == MOST_WRITES - 1 and left:
            said += f" +{left}"
        style = Style.WRONG if not place else Style.CHANGED
        mark = "✗" if refused else "∅" if freed else "~"
        yield Moment(write.line, mark, said, style, STALE)
    if blame.reader is not None and not refused:
        version = None if saver is None else saver.version
        text = DeskTexts.needed if version is None else DeskTexts.needed_at
        if freed:
            text = DeskTexts.needed_again
        elif blame.verdict is Verdict.SILENTLY_WRONG:
            text = DeskTexts.used
        said = say(text, language, version=version)
        yield Moment(blame.reader, "✗", said, Style.ERROR, " ")


def rows(
    found: list[Moment], source: str, room: int, *, file: str, brief: bool = False
) -> list[Row]:
    """Return the lane: places, marks, and what happened there; with `brief`, in one row.

    The name of a file is left out where it is that of the place before.
    """
    at = [place_of(source, each.line) for each in found]
    names = [clean(place.file or file) for place in at]
    shown = ["" if one == other else other for one, other in pairwise(["", *names])]
    places = [f"{name}:{place.line}" for name, place in zip(shown, at, strict=True)]
    if brief:
        spans: list[Span] = []
        for place, each in zip(places, found, strict=True):
            spans += [Span(f"{place} ", Style.DIM), Span(f"{each.mark} {each.says}", each.style)]
            spans.append(Span(f" {each.then * 2} ", Style.DIM))
        return [Row(clip_spans(spans[:-1], room))]
    least = [max(width(p), width(each.says)) + GAP for p, each in zip(places, found, strict=True)]
    spare = max(0, min(room, 100) - sum(least)) // max(1, len(found) - 1)
    cells = [each + spare for each in least[:-1]] + least[-1:]
    top, middle, below = list[Span](), list[Span](), list[Span]()
    for place, each, size in zip(places, found, cells, strict=True):
        top.append(Span(pad(place, size), Style.DIM))
        line = "" if each is found[-1] else each.then * (size - 1)
        middle += [Span(each.mark, each.style), Span(line, each.style)]
        below.append(Span(pad(each.says, size), each.style))
    return [Row(clip_spans(spans, room)) for spans in (top, middle, below)]
