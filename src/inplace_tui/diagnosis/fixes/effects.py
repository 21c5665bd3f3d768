"""What a fix changes: where backward starts from, and the values that come out."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import reduce
from math import inf

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.problems import fill
from inplace_tui.common.run import values
from inplace_tui.common.run.files import line_name
from inplace_tui.common.run.fix import counterparts
from inplace_tui.common.run.outcome import Completed
from inplace_tui.common.run.snapshot import EMPTY
from inplace_tui.common.source_text import backward_of, names_in
from inplace_tui.common.syntax import nodes, parsed
from inplace_tui.common.texts.fixes import COMPUTES, FixEffectTexts
from inplace_tui.diagnosis.blame.truth import differences
from inplace_tui.diagnosis.fixes.trial import Original, Trial
from inplace_tui.diagnosis.fixes.value_history import (
    HeldValue,
    backwards_in_pairs,
    common_values,
    content_of,
    is_gradient,
    printed_text,
    starts_with,
    value_summary,
)

MAX_CHANGES = 3
"""Changed values that are listed; the rest is counted."""

WIDTH = 32
"""Cells that a changed value may take."""

_DRAWS = re.compile(r"\b(?:rand\w*|normal|bernoulli|multinomial|poisson)\(")
"""Calls that draw random numbers: repeated, they give others."""


def describe_changes(original: Original, trial: Trial) -> tuple[bool, LocalText | None]:
    """Return whether backward starts from the same values, and say which come out otherwise.

    That a variable keeps what it held before the write at fault is what a fix is for; so is what
    follows from the first update by another gradient.
    """
    site, timeline = original.site, original.allowed or original.site.timeline
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
        of_gradient = is_gradient(name) or (
            moments and backward_of(original.source, timeline.steps[moments[0].step].line)
        )
        if name in (original.unstable or ()) or of_gradient or not now:
            continue
        if name.isidentifier() and name in spelled:
            kept = [each for each in moments if each.step not in wrote]
            if starts_with(now, kept) and now[-1].content in {each.content for each in kept}:
                continue
        old = [each for each in now if trial.timeline.steps[each.step].line not in added]
        first = _first_difference(now, moments, ended=ended)
        if old and _first_difference(old, moments, ended=ended) is None:
            continue
        if first is not None and first[0].step < updated:
            # Of a run that ended early, the last value is that of another round.
            mine, true = (now[-1], moments[-1]) if ended else first
            pair = value_summary(mine, trial.timeline), value_summary(true, timeline)
            if pair[0] != pair[1]:
                texts.append(fill(FixEffectTexts.value, name=name, now=pair[0], before=pair[1]))
    starts = list(_changed_starts(original, trial))
    texts = texts or [text for began, text in starts if began <= updated]
    text, other = printed_text(timeline), printed_text(trial.timeline)
    if not (text.startswith(other) or other.startswith(text) or other == original.replay.printed):
        texts.append(FixEffectTexts.output)
    if not texts:
        return not starts, None
    both, rest = FixEffectTexts.both, len(texts) - MAX_CHANGES
    told = reduce(lambda one, two: fill(both, one=one, other=two), texts[:MAX_CHANGES])
    return not starts, told if rest <= 0 else fill(FixEffectTexts.more, changes=told, count=rest)


def _changed_starts(original: Original, trial: Trial) -> Iterator[tuple[float, LocalText]]:
    """Yield what backward comes from that has other values than in the original.

    First the step at which it begins, if it can be said from which other value; then the text.
    """
    reader, timeline = original.site.reader, original.site.timeline
    visits = () if reader is None else timeline.index.visits.get(reader.lineno, ())
    if reader is None or not visits:
        return
    before = timeline.at(timeline.steps[visits[-1]].began - 1)
    statements = nodes(ast.stmt, parsed(trial.candidate.source))
    alike = {each.lineno for each in statements if ast.dump(each) == ast.dump(reader)}
    steps = [each for each in trial.timeline if each.line in alike][: len(visits)]
    after = trial.timeline.at(steps[-1].began - 1) if steps else EMPTY
    for name in names_in(original.source, reader.lineno):
        held, mine = before.named(name), after.named(name)
        if held is None or is_gradient(name) or name in (original.unstable or ()):
            continue
        found = {None if mine is None else content_of(mine, after)}
        if not steps:  # the line is another one
            found = {each.content for each in trial.histories.get(name, ())}
        if content_of(held, before) not in found:
            now = "?" if mine is None else values.summary(mine, after, WIDTH)
            true = values.summary(held, before, WIDTH)
            text = fill(FixEffectTexts.loss, name=name, now=now, before=true)
            yield (steps[-1].began if steps and now != true else inf), text


def _first_difference(
    now: Sequence[HeldValue], moments: Sequence[HeldValue], *, ended: bool
) -> tuple[HeldValue, HeldValue] | None:
    """Return the first value of `now` that differs, or its last one, with what is in its place.

    Runs that `ended` are to end with the same value, too.
    """
    at = common_values(now, moments)
    if at == len(moments) and not (ended and now[-1].content != moments[-1].content):
        return None
    return now[min(at, len(now) - 1)], moments[min(at, len(moments) - 1)]


def _updated(original: Original, trial: Trial, *, ended: bool) -> int:
    """Return the step of a trial's first update after a gradient that is another one there."""
    theirs, timeline = original.meant_histories, trial.timeline
    since = len(timeline)
    for name, now in trial.histories.items():
        if is_gradient(name):
            is_new = trial.candidate.usual or name not in theirs
            first = now if is_new else _first_difference(now, theirs[name], ended=ended)
            since = min(since, first[0].step) if first else since
    updates = (
        step.index
        for step in timeline.steps[since:]
        for write in step.mutations
        for each in timeline.at(step.index).tensors.values()
        if each.storage == write.storage is not None and each.takes_gradient
    )
    return next(updates, len(timeline))


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
