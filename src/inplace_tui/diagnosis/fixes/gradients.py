"""Whether the backwards of an edited program delivered the gradients of the original."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
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


def differing_leaf(got: Iterable[Backward], true: Iterable[Backward]) -> str | None:
    """Return the first leaf whose gradient is not the true one, backward by backward."""
    for mine, its in zip(got, true, strict=False):
        delivered = {each.tensor: each for each in mine.gradients}
        for gradient in its.gradients:
            found = delivered.get(gradient.tensor)
            if found is None and its.unrolled:
                continue  # a leaf that the graph of the program hides
            if found is None or not alike(found, gradient):
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


def alone(name: str) -> str:
    """Return a leaf's name without that of the function which has it: an edit may change that."""
    return name.rpartition(":")[2]


def leaves_with_gradients(backwards: Sequence[Backward]) -> frozenset[str]:
    return frozenset(
        alone(gradient.tensor)
        for backward in backwards
        for gradient in backward.gradients
        if gradient.data is not None
    )


def steps_with_gradients(run: Evidence) -> Counter[str]:
    """Return for each parameter at how many steps of its optimizer it had a gradient."""
    return Counter(alone(name) for step in run.steps for name in step.stepped or ())


def idle_steps(source: str, steps: Sequence[Backward]) -> set[str]:
    """Return the statements by which optimizers step, and never have a gradient for it."""
    found = _by_statement(source, steps)
    return {key for key, each in found.items() if not any(step.stepped for step in each)}


def same_backwards_reordered(original: str, replay: Evidence, edited: str, got: Evidence) -> bool:
    """Return whether each backward of the original was run, and added to each leaf the same."""
    is_trusted = len(trusted_backwards(replay)) == len(replay.backwards)
    if not isinstance(replay.outcome, Completed) or not replay.left or not is_trusted:
        return False
    pairs = backwards_in_pairs(original, replay, edited, got)
    if not len(pairs) == len(replay.backwards) == len(got.backwards):
        return False
    mine, true = ([*map(_added, each)] for each in zip(*pairs, strict=True))
    mine.append(Backward(line=None, gradients=got.left))
    true.append(Backward(line=None, gradients=replay.left))
    return differing_leaf(mine, true) is None


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
