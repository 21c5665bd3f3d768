"""What a fix changes: where backward starts from, and the values that come out."""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import fill
from inplace_tui.common.run import values
from inplace_tui.common.run.files import line_name
from inplace_tui.common.run.fix import Candidate, counterparts
from inplace_tui.common.run.outcome import Completed
from inplace_tui.common.run.step import Step
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.source_text import names_in
from inplace_tui.common.syntax import nodes, parsed
from inplace_tui.common.texts.fixes import COMPUTES, FixEffectTexts
from inplace_tui.diagnosis.blame.truth import Evidence, differences
from inplace_tui.diagnosis.fixes.fault_site import FaultSite
from inplace_tui.diagnosis.fixes.gradients import backwards_in_pairs
from inplace_tui.diagnosis.fixes.trial import Trial
from inplace_tui.diagnosis.fixes.value_history import (
    ValueHistories,
    content_of,
    first_difference,
    is_gradient,
    printed_text,
    starts_with,
    value_summary,
)

MAX_CHANGES = 3
"""Changed values that are listed; the rest is counted."""

WIDTH = 32
"""Cells that a changed value may take."""


class ChangedStart(NamedTuple):
    """A tensor from which backward starts with other values than in the original."""

    name: str
    now: str
    """Empty where that could not be found: the line is another one."""

    before: str
    began: int
    """The step of the trial at which its backward began."""


def changed_starts(
    site: FaultSite, candidate: Candidate, trial: Trial, unstable: frozenset[str]
) -> list[ChangedStart]:
    """Return what backward comes from that has other values than in the original."""
    reader, original = site.reader, site.timeline
    began = None if reader is None else _began(original, [reader.lineno], None)
    if reader is None or began is None:
        return []
    there = [
        node.lineno
        for node in nodes(ast.stmt, parsed(candidate.source))
        if type(node) is type(reader) and ast.dump(node) == ast.dump(reader)
    ]
    visit = len(original.index.visits[reader.lineno])
    now_began = _began(trial.timeline, there, visit)
    before = original.at(began - 1)
    found: list[ChangedStart] = []
    for name in names_in(site.text.source, reader.lineno):
        held = before.named(name)
        if held is None or is_gradient(name) or name in unstable:
            continue
        if now_began is None:
            known = [each.content for each in trial.histories.get(name, ())]
            if content_of(held, before) not in known:
                found.append(ChangedStart(name, "", "", 0))
            continue
        after = trial.timeline.at(now_began - 1)
        mine = after.named(name)
        if mine is None or content_of(mine, after) != content_of(held, before):
            text = "?" if mine is None else values.summary(mine, after, WIDTH)
            found.append(ChangedStart(name, text, values.summary(held, before, WIDTH), now_began))
    return found


_DRAWS = re.compile(r"\b(?:rand\w*|normal|bernoulli|multinomial|poisson)\(")
"""Calls that draw random numbers: repeated, they give others."""


def describe_changes(
    site: FaultSite,
    timeline: Timeline,
    theirs: ValueHistories,
    trial: Trial,
    candidate: Candidate,
    *,
    starts: list[ChangedStart],
    unstable: frozenset[str],
    replayed: str,
) -> LocalText | None:
    """Say which values come out otherwise.

    That a variable keeps what it held before the write at fault is what a fix is for; so is what
    follows from the first update by another gradient.

    Args:
        timeline: the original, or what it would have been with its write let through.
        theirs: what each name held there.
        candidate: an argument has its name only after a function's first line, which may be new.
        starts: what backward comes from with other values.
        unstable: names whose values differ from run to run.
        replayed: what the original prints when its gradients are right.
    """
    texts = []
    culprits = site.culprits if timeline is site.timeline else ()
    wrote = {step for each in culprits for step in site.steps(each)}
    spelled = {name for each in culprits for name in names_in(site.text.source, each.lineno)}
    ended = isinstance(timeline.outcome, Completed)
    updated = _updated(theirs, trial, ended=ended, usual=candidate.usual)
    added = counterparts(site.text.source, candidate.source, set())
    for name, moments in theirs.items():
        now = trial.histories.get(name, ())
        if name in unstable or is_gradient(name) or not now:
            continue
        if name.isidentifier() and name in spelled:
            kept = [each for each in moments if each.step not in wrote]
            if starts_with(now, kept) and now[-1].content in {each.content for each in kept}:
                continue
        old = [each for each in now if trial.timeline.steps[each.step].line not in added]
        first = first_difference(name, now, moments, ended=ended)
        if old and first_difference(name, old, moments, ended=ended) is None:
            continue
        if first is not None and first[0].step < updated:
            # Of a run that ended early, the last value is that of another round.
            mine, true = (now[-1], moments[-1]) if ended else first
            pair = value_summary(mine, trial.timeline), value_summary(true, timeline)
            if pair[0] != pair[1]:
                texts.append(fill(FixEffectTexts.value, name=name, now=pair[0], before=pair[1]))
    for each in [] if texts else starts:
        if each.now != each.before and each.began <= updated:
            texts.append(
                fill(FixEffectTexts.loss, name=each.name, now=each.now, before=each.before)
            )
    text, other = printed_text(timeline), printed_text(trial.timeline)
    if not (text.startswith(other) or other.startswith(text) or other == replayed):
        texts.append(FixEffectTexts.output)
    return _joined(texts)


def _updated(theirs: ValueHistories, trial: Trial, *, ended: bool, usual: bool) -> int:
    """Return the step of a trial's first update after a gradient that is another one there."""
    gradients = {name: each for name, each in trial.histories.items() if is_gradient(name)}
    since = [each[0].step for name, each in gradients.items() if usual or name not in theirs]
    for name in gradients.keys() & theirs.keys():
        first = first_difference(name, gradients[name], theirs[name], ended=ended)
        since += [] if first is None else [first[0].step]
    later = trial.timeline.steps[min(since) :] if since else ()
    updates = (step.index for step in later if _updates_leaf(step, trial.timeline))
    return next(updates, len(trial.timeline))


def _updates_leaf(step: Step, timeline: Timeline) -> bool:
    written = {each.storage for each in step.mutations} - {None}
    return bool(written) and any(
        each.storage in written and each.requires_grad and each.is_leaf is True
        for each in timeline.at(step.index).tensors.values()
    )


def describe_gradients(
    site: FaultSite, replay: Evidence, candidate: Candidate, got: Evidence
) -> LocalText:
    """Say what the usual way computes instead: in words, and the first gradient that differs."""
    meaning = COMPUTES.get(candidate.kind, FixEffectTexts.other)
    if len(_DRAWS.findall(candidate.source)) > len(_DRAWS.findall(site.text.source)):
        meaning = fill(FixEffectTexts.drawn_anew, meaning=meaning)
    pairs = backwards_in_pairs(site.text.source, replay, candidate.source, got)
    needed = None if site.reader is None else site.reader.lineno
    pairs.sort(key=lambda pair: pair[1].line != needed)
    for mine, true in pairs:
        differing = [each for each in differences(mine, true) if each.got != each.true]
        if differing:
            first = differing[0]
            return fill(
                FixEffectTexts.gradient,
                meaning=meaning,
                name=first.tensor,
                line=None if true.line is None else line_name(site.text.source, true.line),
                now=first.got,
                before=first.true,
            )
    return meaning


def _began(timeline: Timeline, lines: list[int], visit: int | None) -> int | None:
    """Return at which step a visit of one of the lines began: the last one, or one by number."""
    steps = sorted(index for line in lines for index in timeline.index.visits.get(line, ()))
    if not steps:
        return None
    chosen = steps[-1] if visit is None or visit > len(steps) else steps[visit - 1]
    return timeline.steps[chosen].began


def _joined(texts: list[LocalText]) -> LocalText | None:
    if not texts:
        return None
    text = texts[0]
    for each in texts[1:MAX_CHANGES]:
        text = fill(FixEffectTexts.both, one=text, other=each)
    rest = len(texts) - MAX_CHANGES
    return text if rest <= 0 else fill(FixEffectTexts.more, changes=text, count=rest)
