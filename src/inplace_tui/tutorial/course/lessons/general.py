"""What a lesson says of many ops at once, held against the survey of torch."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.ops.survey import FILTERS, facets, installed_survey
from inplace_tui.common.problems import did_you_mean, fill
from inplace_tui.common.texts.authoring import AuthoringTexts
from inplace_tui.tutorial.course.lesson import General

MOST_NAMED = 5
"""Ops that refute a sentence; more are counted."""


def refutation(said: General) -> LocalText | None:
    """Return which ops are otherwise, or what can't be asked; None if it is so of all."""
    survey = installed_survey()
    for key in (*said.where, *said.are):
        if key not in FILTERS:
            return fill(AuthoringTexts.no_facet, keys=FILTERS, key=key)
    meant = [*survey.select(said.where)] if said.where else []
    for name in said.ops:
        op = survey.find(name)
        if op is None or not op.cases:
            hint = did_you_mean(name, survey.names)
            return fill(AuthoringTexts.no_op, version=survey.torch, name=name, hint=hint)
        meant.append((op, op.cases[0]))
    refuted = [
        op.name
        for op, case in meant
        if not {*said.but} & {*op.names}
        if any({*values} != facets(op, case)[key] for key, values in said.are.items())
    ]
    if not refuted:
        return None
    named = tuple(dict.fromkeys(refuted))
    values = {"version": survey.torch, "ops": named[:MOST_NAMED], "count": len(named)}
    return fill(AuthoringTexts.refuted, **values)
