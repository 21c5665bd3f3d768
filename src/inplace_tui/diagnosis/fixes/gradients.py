"""Whether the backwards of an edited program delivered the gradients of the original."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import takewhile

import msgspec

from inplace_tui.common.run.outcome import Completed
from inplace_tui.common.run.program import Backward
from inplace_tui.common.source_text import statement_on
from inplace_tui.common.syntax import nodes, parse
from inplace_tui.diagnosis.blame.truth import Evidence, alike


def trusted_backwards(cloned: Evidence) -> tuple[Backward, ...]:
    """Return the backwards of a replay up to the first that raised or proves nothing."""
    return tuple(takewhile(lambda each: not (each.raised or each.unsure), cloned.backwards))


def differing_leaf(got: Backward, true: Backward) -> str | None:
    """Return the first leaf whose gradient is not the true one."""
    delivered = {each.tensor: each for each in got.gradients}
    for gradient in true.gradients:
        mine = delivered.get(gradient.tensor)
        if mine is None and true.unrolled:
            continue  # a leaf that the graph of the program hides
        if mine is None or not alike(mine, gradient):
            return gradient.tensor
    return None


def backwards_in_pairs(
    original: str, replay: Evidence, edited: str, got: Evidence
) -> list[tuple[Backward, Backward]]:
    """Return the backwards of an edited program with those of the original, by statement."""
    theirs = _by_statement(original, replay.backwards)
    mine = _by_statement(edited, got.backwards)
    return [
        pair for key, each in theirs.items() for pair in zip(mine.get(key, ()), each, strict=False)
    ]


def leaves_with_gradients(backwards: Sequence[Backward]) -> frozenset[str]:
    return frozenset(
        gradient.tensor
        for backward in backwards
        for gradient in backward.gradients
        if gradient.data is not None
    )


def idle_steps(source: str, steps: Sequence[Backward]) -> set[str]:
    """Return the statements by which optimizers step, and never have a gradient for it."""
    found = _by_statement(source, steps)
    return {key for key, each in found.items() if not any(step.stepped for step in each)}


def same_backwards_reordered(original: str, replay: Evidence, edited: str, got: Evidence) -> bool:
    """Return whether each backward of the original was run, and added to each leaf the same."""
    if not isinstance(replay.outcome, Completed) or not replay.left:
        return False
    if any(each.raised or each.unsure for each in replay.backwards):
        return False
    pairs = backwards_in_pairs(original, replay, edited, got)
    if not len(pairs) == len(replay.backwards) == len(got.backwards):
        return False
    if any(differing_leaf(_added(one), _added(true)) is not None for one, true in pairs):
        return False
    ends = [Backward(line=None, gradients=each.left) for each in (got, replay)]
    return differing_leaf(ends[0], ends[1]) is None


def _by_statement(source: str, backwards: Sequence[Backward]) -> Mapping[str, list[Backward]]:
    """Return the backwards that each statement ran, in order; its flags do not count."""
    found: dict[str, list[Backward]] = defaultdict(list)
    for backward in backwards:
        found[_spelled(source, backward.line)].append(backward)
    return found


@lru_cache(maxsize=64)
def _spelled(source: str, line: int | None) -> str:
    """Return the statement of a line as text, without saying whether the graph is kept."""
    statement = statement_on(source, line)
    tree = parse("" if statement is None else ast.unparse(statement))
    for call in nodes(ast.Call, tree):
        call.keywords = [each for each in call.keywords if each.arg != "retain_graph"]
    return ast.unparse(tree)


def _added(backward: Backward) -> Backward:
    """Return a backward with what it added, where its gradients hold sums."""
    added = tuple(
        each
        if each.added is None
        else msgspec.structs.replace(each, data=each.added, digest=None, added=None)
        for each in backward.gradients
    )
    return msgspec.structs.replace(backward, gradients=added)
