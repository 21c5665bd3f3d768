"""Whether a question of kind `order` is true: every order of its lines was run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inplace_tui.engine.lessons.answers import fitting, works
from inplace_tui.engine.lessons.claims import FinishedRun, ending, how_it_ended
from inplace_tui.engine.lessons.ordering import Order
from inplace_tui.engine.lessons.strict_yaml import Path
from inplace_tui.engine.problems import fill
from inplace_tui.model.lesson import LocalText, Question
from inplace_tui.model.outcome import Right, Wrong
from inplace_tui.texts.authoring import AuthoringTexts, ClaimTexts


def wrong_in(
    question: Question, runs: Mapping[Order, FinishedRun]
) -> Iterator[tuple[Path, LocalText]]:
    """Yield what is wrong with an order question, and where in it.

    Args:
        question: of kind `order`.
        runs: of the program in every order of its lines, its own first.
    """
    used: set[int] = set()
    reached: list[Order] = []
    for order, run in runs.items():
        if ending(run.timeline.outcome) is None:
            how = how_it_ended(run.timeline.outcome)
            yield ("lines",), fill(AuthoringTexts.order_no_end, order=_named(order), how=how)
        elif works(question, run):
            reached.append(order)
        else:
            yield from _said(question, order, run, used)
    if next(iter(runs)) in reached:
        yield ("goal",), AuthoringTexts.own_order
    if not reached:
        yield ("goal",), AuthoringTexts.no_order
    for place in sorted(set(range(len(question.why))) - used):
        yield ("why", place), AuthoringTexts.dead_why


def _said(
    question: Question, order: Order, run: FinishedRun, used: set[int]
) -> Iterator[tuple[Path, LocalText]]:
    """Exactly one thing is to be said of an order that does not work."""
    true = [question.why.index(each) for each in fitting(question, run)]
    used.update(true)
    values = {"order": _named(order), "how": what_it_did(run)}
    if not true:
        yield ("why",), fill(AuthoringTexts.no_why, **values)
    for place in true[1:]:
        yield ("why", place, "when"), fill(AuthoringTexts.many_why, **values)


def what_it_did(run: FinishedRun) -> LocalText:
    """Say how a run ended, and whether its gradients are right where that is known."""
    how = how_it_ended(run.timeline.outcome)
    if isinstance(run.truth, Right | Wrong):
        grads = ClaimTexts.right if isinstance(run.truth, Right) else ClaimTexts.wrong
        return fill(ClaimTexts.ends_with, how=how, grads=grads)
    return how


def _named(order: Order) -> str:
    return ", ".join(order)
