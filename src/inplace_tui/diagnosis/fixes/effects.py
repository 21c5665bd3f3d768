"""What a fix changes: where backward starts from, and the values that come out."""

from __future__ import annotations

import ast
import re
from functools import reduce
from math import inf
from typing import TypeAlias

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import fill
from inplace_tui.common.run import values
from inplace_tui.common.run.files import line_name
from inplace_tui.common.run.fix import counterparts
from inplace_tui.common.run.outcome import Completed
from inplace_tui.common.run.step import Step
from inplace_tui.common.run.timeline import Timeline
from inplace_tui.common.source_text import names_in
from inplace_tui.common.syntax import nodes, parsed
from inplace_tui.common.texts.fixes import COMPUTES, FixEffectTexts
from inplace_tui.diagnosis.blame.truth import differences
from inplace_tui.diagnosis.fixes.gradients import backwards_in_pairs
from inplace_tui.diagnosis.fixes.trial import Original, Trial
from inplace_tui.diagnosis.fixes.value_history import (
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


Start: TypeAlias = tuple[float, LocalText]
"""At which step of a trial backward begins, if it can be said from which other value; the text."""


def changed_starts(original: Original, trial: Trial) -> list[Start]:
    """Return what backward comes from that has other values than in the original."""
    reader, timeline = original.site.reader, original.site.timeline
    visits = () if reader is None else timeline.index.visits.get(reader.lineno, ())
    if reader is None or not visits:
        return []
    before = timeline.at(timeline.steps[visits[-1]].began - 1)
    began = _began(trial, reader, len(visits))
    after = None if began is None else trial.timeline.at(began - 1)
    found: list[Start] = []
    for name in names_in(original.source, reader.lineno):
        held = before.named(name)
        if held is None or is_gradient(name) or name in original.unstable:
            continue
        mine = None if after is None else after.named(name)
        content = content_of(held, before)
        if after is None:  # the line is another one
            same = content in {each.content for each in trial.histories.get(name, ())}
        else:
            same = mine is not None and content_of(mine, after) == content
        if not same:
            now = "?" if mine is None or after is None else values.summary(mine, after, WIDTH)
            true = values.summary(held, before, WIDTH)
            text = fill(FixEffectTexts.loss, name=name, now=now, before=true)
            found.append((inf if began is None or now == true else began, text))
    return found


def _began(trial: Trial, reader: ast.stmt, visit: int) -> int | None:
    """Return at which step so many visits of a statement had begun, or all that there are."""
    alike = (
        each.lineno
        for each in nodes(ast.stmt, parsed(trial.candidate.source))
        if type(each) is type(reader) and ast.dump(each) == ast.dump(reader)
    )
    visits = trial.timeline.index.visits
    steps = sorted(index for line in alike for index in visits.get(line, ()))
    return trial.timeline.steps[steps[:visit][-1]].began if steps else None


_DRAWS = re.compile(r"\b(?:rand\w*|normal|bernoulli|multinomial|poisson)\(")
"""Calls that draw random numbers: repeated, they give others."""


def describe_changes(original: Original, trial: Trial, starts: list[Start]) -> LocalText | None:
    """Say which values come out otherwise: of those, too, from which backward `starts`.

    That a variable keeps what it held before the write at fault is what a fix is for; so is what
    follows from the first update by another gradient.
    """
    site, timeline = original.site, original.meant
    texts = []
    culprits = site.culprits if original.allowed is None else ()
    wrote = {step for each in culprits for step in site.steps(each)}
    spelled = {name for each in culprits for name in names_in(original.source, each.lineno)}
    ended = isinstance(timeline.outcome, Completed)
    updated = _updated(original, trial, ended=ended)
    # An argument has its name only after a function's first line, which may be new.
    added = counterparts(original.source, trial.candidate.source, set())
    for name, moments in original.meant_histories.items():
        now = trial.histories.get(name, ())
        if name in original.unstable or is_gradient(name) or not now:
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
    texts = texts or [text for began, text in starts if began <= updated]
    text, other = printed_text(timeline), printed_text(trial.timeline)
    if not (text.startswith(other) or other.startswith(text) or other == original.replay.printed):
        texts.append(FixEffectTexts.output)
    if not texts:
        return None
    both, rest = FixEffectTexts.both, len(texts) - MAX_CHANGES
    told = reduce(lambda one, two: fill(both, one=one, other=two), texts[:MAX_CHANGES])
    return told if rest <= 0 else fill(FixEffectTexts.more, changes=told, count=rest)


def _updated(original: Original, trial: Trial, *, ended: bool) -> int:
    """Return the step of a trial's first update after a gradient that is another one there."""
    theirs, usual = original.meant_histories, trial.candidate.usual
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


def describe_gradients(original: Original, trial: Trial) -> LocalText:
    """Say what the usual way computes instead: in words, and the first gradient that differs."""
    source, edited, reader = original.source, trial.candidate.source, original.site.reader
    meaning = COMPUTES.get(trial.candidate.kind, FixEffectTexts.other)
    if len(_DRAWS.findall(edited)) > len(_DRAWS.findall(source)):
        meaning = fill(FixEffectTexts.drawn_anew, meaning=meaning)
    pairs = backwards_in_pairs(source, original.replay, edited, trial.bare)
    pairs.sort(key=lambda pair: reader is None or pair[1].line != reader.lineno)
    for mine, true in pairs:
        for each in differences(mine, true):
            if each.got != each.true:
                return fill(
                    FixEffectTexts.gradient,
                    meaning=meaning,
                    name=each.tensor,
                    line=None if true.line is None else line_name(source, true.line),
                    now=each.got,
                    before=each.true,
                )
    return meaning
