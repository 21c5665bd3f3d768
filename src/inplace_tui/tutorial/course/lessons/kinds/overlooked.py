"""What a wrong answer overlooks, as the run shows it."""

from __future__ import annotations

from operator import itemgetter

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import fill
from inplace_tui.common.run.ending import Ending
from inplace_tui.common.run.lookup import plain_name
from inplace_tui.common.run.outcome import Raised, Wrong
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
    checked = [
        (slot.version, plain_name(held) or "?")
        for step in timeline
        for slot in step.saved
        if slot.tensor is not None and slot.version is not None
        if (held := timeline.at(step.index).tensors.get(slot.tensor)) is not None
        if all(write.storage != slot.storage for write in timeline.mutations(step.index + 1))
    ]
    if not checked:
        return EndingReplies.nothing_saved
    # Of what was written before, if anything was.
    version, name = max(checked, key=itemgetter(0))
    return fill(EndingReplies.passes, name=name, version=version)


def line_reply(run: FinishedRun, line: int, role: str) -> LocalText | None:
    """Return what a wrong line did, where a line is asked for that saved, changed or raised."""
    steps = [step for step in run.timeline if step.line <= line <= step.end_line]
    if role == "raised_by":
        return LineReplies.ran
    writes = [(step.index, each.tensor) for step in steps for each in step.mutations]
    saves = [(step.index, each.tensor) for step in steps for each in step.saved]
    if role == "changed_by":
        found, nothing = writes, LineReplies.saves_only if saves else LineReplies.writes_nothing
        another, unnamed = LineReplies.writes_another, LineReplies.writes_unnamed
    else:
        found, nothing = saves, LineReplies.writes_only if writes else LineReplies.saves_nothing
        another, unnamed = LineReplies.saves_another, LineReplies.saves_unnamed
    if not found:
        return nothing
    tensors = (run.timeline.at(at).tensors.get(-1 if key is None else key) for at, key in found)
    names = tuple(dict.fromkeys(plain_name(each) or "?" for each in tensors if each is not None))
    return fill(another if names else unnamed, names=names)
