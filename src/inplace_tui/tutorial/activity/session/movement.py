"""Movements within what may be seen: open questions bar the way forward."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.run.files import find_line
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.texts.session import NoticeTexts
from inplace_tui.tutorial.activity.session import navigation
from inplace_tui.tutorial.activity.session.questions import Questions
from inplace_tui.tutorial.activity.session.run import SessionRun
from inplace_tui.tutorial.activity.session.signals import (
    LastWriteRequested,
    Move,
    Moved,
    NextWriteRequested,
    RunToLine,
    StepChosen,
)

Movement = Moved | RunToLine | StepChosen | LastWriteRequested | NextWriteRequested

_FORWARD = frozenset({Move.NEXT, Move.INTO, Move.OUT, Move.CONTINUE, Move.END})

_STEPS: dict[Move, tuple[Callable[[Timeline, int], int | None], LocalText]] = {
    Move.NEXT: (navigation.over, NoticeTexts.at_the_end),
    Move.BACK: (navigation.back, NoticeTexts.at_the_start),
    Move.INTO: (navigation.into, NoticeTexts.at_the_end),
    Move.OUT: (navigation.out, NoticeTexts.not_in_a_call),
    Move.TO_CALL: (navigation.to_call, NoticeTexts.not_in_a_call),
    Move.TO_RETURN: (navigation.to_return, NoticeTexts.no_return),
}
"""Where a step leads, and the notice for where it leads nowhere."""


_STEP_NUMBER = re.compile(r"#?\s*(\d[\d,_ ]*)")
_SHARE = re.compile(r"(\d+(?:\.\d+)?)\s*%")
_LINE_NUMBER = re.compile(r"(?:line|l|第|:|行)\s*(\d+)\s*行?", re.IGNORECASE)
_LINE_OF_FILE = re.compile(r"(.*[^:\s])\s*:\s*(\d+)")
_MAX_DIGITS = 12


@dataclass(frozen=True)
class Bounds:
    """How far the learner may go, and where a movement stops by itself."""

    limit: int
    """The last step that may be come to."""

    gates: tuple[int, ...] = ()
    barred: bool = False
    """The cursor waits at a question that must be answered or left first."""

    hidden_from: int | None = None
    """The first step that would give an answer away."""


def bounds(run: SessionRun, questions: Questions | None) -> Bounds:
    """Return how far one may go in a run; without questions, to its end."""
    if questions is None:
        return Bounds(limit=run.last)
    return Bounds(
        limit=questions.limit(run.last),
        gates=tuple(questions.marks()),
        barred=questions.barring(run.cursor) is not None,
        hidden_from=questions.hidden_from(),
    )


def goes_forward(signal: Movement) -> bool:
    if isinstance(signal, NextWriteRequested):
        return True
    return isinstance(signal, Moved) and signal.move in _FORWARD


def move_to(run: SessionRun, signal: Movement, bounds: Bounds) -> int | LocalText:
    """Return the new cursor, or the notice that says why there is none."""
    target, refusal = _target(run, signal, bounds)
    if target is not None and min(target, bounds.limit) != run.cursor:
        return min(target, bounds.limit)
    ahead = goes_forward(signal) or (target is not None and target > run.cursor)
    if isinstance(signal, RunToLine) and target is None and run.outcome is None:
        ahead = True
    if not ahead and not (isinstance(signal, RunToLine) and bounds.hidden_from is not None):
        return refusal
    if bounds.barred:
        return NoticeTexts.answer_first
    if refusal == NoticeTexts.not_in_a_call:
        return refusal
    if run.outcome is None:
        return NoticeTexts.still_running
    # "The end of the run" at the asked line would give away that it raised.
    return refusal if bounds.hidden_from is None else NoticeTexts.answer_to_see_more


def _target(run: SessionRun, signal: Movement, bounds: Bounds) -> tuple[int | None, LocalText]:
    timeline, cursor = run.timeline, run.cursor
    match signal:
        case Moved(move=move):
            return _moved(run, move, bounds)
        case RunToLine(line=line):
            return navigation.run_to(timeline, cursor, line=line), NoticeTexts.line_not_run
        case StepChosen(step=step):
            return max(
                -1, min(step, run.last)
            ), NoticeTexts.at_the_end if step >= run.last else NoticeTexts.here
        case LastWriteRequested(tensor=tensor):
            known = cursor if bounds.hidden_from is None else min(cursor, bounds.hidden_from)
            return navigation.last_write(timeline, known, tensor=tensor), NoticeTexts.never_written
        case NextWriteRequested(tensor=tensor):
            found = navigation.next_write(timeline, cursor, tensor=tensor)
            hidden = bounds.hidden_from
            if hidden is not None and (found is None or found >= hidden):
                found = hidden - 1 if cursor < hidden - 1 else None
            return found, NoticeTexts.not_written_again


def _moved(run: SessionRun, move: Move, bounds: Bounds) -> tuple[int | None, LocalText]:
    cursor = run.cursor
    match move:
        case Move.START:
            return (None if cursor == -1 else -1), NoticeTexts.at_the_start
        case Move.END:
            return (None if cursor == run.last else run.last), NoticeTexts.at_the_end
        case Move.CONTINUE:
            return navigation.next_stop(
                _stops(run, bounds), cursor, last=run.last
            ), NoticeTexts.at_the_end
        case Move.CONTINUE_BACK:
            return navigation.previous_stop(_stops(run, bounds), cursor), NoticeTexts.at_the_start
        case Move.NEXT | Move.BACK | Move.INTO | Move.OUT | Move.TO_CALL | Move.TO_RETURN:
            movement, refusal = _STEPS[move]
            return movement(run.timeline, cursor), refusal


def _stops(run: SessionRun, bounds: Bounds) -> list[int]:
    """Return where questions and the nearest failures are, unless that gives an answer away."""
    hidden = bounds.hidden_from
    near = navigation.around(run.stops(), run.cursor)
    failed = [step for step in near if hidden is None or step < hidden]
    return [*failed, *(gate - 1 for gate in bounds.gates)]


def parse_place(text: str, *, steps: int, source: str = "") -> StepChosen | RunToLine | None:
    """Return where somebody wants to go; None if the text does not say.

    Args:
        text: a number of a step, counted from 1, where 0 is before the first; a share
            of the run; or a line, of another file than the main one with its name: `model.py:7`.

    >>> parse_place("50%", steps=200), parse_place("第７行", steps=9), parse_place("soon", steps=9)
    (StepChosen(step=99), RunToLine(line=7), None)
    """
    plain = unicodedata.normalize("NFKC", text).strip()
    if found := _LINE_OF_FILE.fullmatch(plain):
        line = find_line(source, found[1], int(found[2][:_MAX_DIGITS]))
        if line is not None:
            return RunToLine(line)
    if len(plain) > _MAX_DIGITS + len("line "):
        return None
    if found := _SHARE.fullmatch(plain):
        share = min(100.0, float(found[1]))
        return StepChosen(round(share * steps / 100) - 1)
    if found := _LINE_NUMBER.fullmatch(plain):
        return RunToLine(int(found[1]))
    if found := _STEP_NUMBER.fullmatch(plain):
        number = int(re.sub(r"\D", "", found[1]))
        return StepChosen(min(number, steps) - 1)
    return None
