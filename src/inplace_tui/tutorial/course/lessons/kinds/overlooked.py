"""What a wrong answer overlooks, as the run shows it."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import fill
from inplace_tui.common.run.ending import Ending
from inplace_tui.common.run.lookup import plain_name
from inplace_tui.common.run.outcome import Raised, Wrong
from inplace_tui.common.run.snapshot import Saved
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.run.values import summary
from inplace_tui.common.texts.endings import ENDINGS
from inplace_tui.common.texts.overlooked import EndingReplies, LineReplies
from inplace_tui.diagnosis.blame.find_blame import find_blame
from inplace_tui.tutorial.course.lessons.claims import FinishedRun

_ROOM = 24
"""Cells that values may take in a sentence."""


def ending_reply(said: Ending, run: FinishedRun) -> LocalText:
    """Return what a wrong prediction of the ending overlooks."""
    outcome = run.timeline.outcome
    if isinstance(outcome, Raised):
        why = _why_raised(said, run, outcome)
    elif isinstance(run.truth, Wrong):
        why = _why_silent(said, run, run.truth)
    else:
        why = _why_right(said, run)
    return fill(EndingReplies.you_said, said=ENDINGS[said], why=why)


def _why_raised(said: Ending, run: FinishedRun, outcome: Raised) -> LocalText:
    found = find_blame(run.timeline, run.truth, source=run.source)
    exception = outcome.exception.rpartition(".")[2]
    values = {"line": outcome.line, "exception": exception}
    if not outcome.in_backward:
        early = said is Ending.RAISES_IN_BACKWARD
        return fill(EndingReplies.outside if early else EndingReplies.raises, **values)
    if said is Ending.RAISES_BEFORE:
        return fill(EndingReplies.in_backward, **values)
    saver, writes = (None, ()) if found is None else (found.saver, found.writes)
    if saver is None or saver.version is None or not writes or writes[-1].after is None:
        return fill(EndingReplies.raises, **values)
    versions = {"version": saver.version, "now": writes[-1].after, "saved": saver.line}
    name = saver.tensor or (found.tensor if found else None)
    return fill(EndingReplies.refused, name=name, write=writes[0].line, **versions)


def _why_silent(said: Ending, run: FinishedRun, truth: Wrong) -> LocalText:
    first = truth.differences[0]
    if not said.is_complete:
        found = find_blame(run.timeline, truth, source=run.source)
        writes = () if found is None else found.writes
        line = next((write.line for write in writes if write.before is None), None)
        text = EndingReplies.not_noticed if line is None else EndingReplies.not_counted
        return fill(text, line=line)
    return fill(EndingReplies.wrong, name=first.tensor, got=first.got, true=first.true)


def _why_right(said: Ending, run: FinishedRun) -> LocalText:
    timeline = run.timeline
    if said is Ending.WRONG:
        snapshot = timeline.at(len(timeline) - 1)
        for tensor in snapshot.tensors.values():
            grad = None if tensor.grad is None else snapshot.tensors.get(tensor.grad)
            if tensor.is_leaf and grad is not None:
                values = {"name": plain_name(tensor) or "?", "grad": summary(grad, snapshot, _ROOM)}
                return fill(EndingReplies.right, **values)
        return EndingReplies.no_gradient
    write = next(iter(timeline.mutations()), None)
    if said is Ending.RAISES_BEFORE:
        text = EndingReplies.no_write if write is None else EndingReplies.allowed
        return fill(text, line=None if write is None else write.line)
    checked = _checked_slot(timeline)
    if checked is None:
        return EndingReplies.nothing_saved
    name, slot = checked
    return fill(EndingReplies.passes, name=name, version=slot.version)


def _checked_slot(timeline: Timeline) -> tuple[str, Saved] | None:
    """Return something saved that no later line wrote: of what was written before, if anything."""
    found: list[tuple[str, Saved]] = []
    for step in timeline:
        snapshot = timeline.at(step.index)
        for slot in step.saved:
            tensor = None if slot.tensor is None else snapshot.tensors.get(slot.tensor)
            later = timeline.mutations(step.index + 1)
            is_written = any(write.storage == slot.storage for write in later)
            if tensor is not None and slot.version is not None and not is_written:
                found.append((plain_name(tensor) or "?", slot))
    return max(found, key=lambda each: each[1].version or 0, default=None)


def line_reply(run: FinishedRun, line: int, role: str) -> LocalText | None:
    """Return what a wrong line did, where a line is asked for that saved, changed or raised."""
    steps = [step for step in run.timeline if step.line <= line <= step.end_line]
    if role == "raised_by":
        return LineReplies.ran
    writes = [(step, each) for step in steps for each in step.mutations]
    names: list[str] = []
    if role == "changed_by":
        for step, write in writes:
            tensors = run.timeline.at(step.index).tensors
            tensor = None if write.tensor is None else tensors.get(write.tensor)
            names += [] if tensor is None else [plain_name(tensor) or "?"]
        if not writes:
            saves = any(step.saved for step in steps)
            return LineReplies.saves_only if saves else LineReplies.writes_nothing
        text = LineReplies.writes_another if names else LineReplies.writes_unnamed
    else:
        slots = [(step, slot) for step in steps for slot in step.saved]
        for step, slot in slots:
            tensors = run.timeline.at(step.index).tensors
            tensor = None if slot.tensor is None else tensors.get(slot.tensor)
            names += [] if tensor is None else [plain_name(tensor) or "?"]
        if not slots:
            return LineReplies.writes_only if writes else LineReplies.saves_nothing
        text = LineReplies.saves_another if names else LineReplies.saves_unnamed
    return fill(text, names=tuple(dict.fromkeys(names)))
