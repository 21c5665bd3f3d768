"""When it is certain that a gradient will come out wrong without an error.

A saved tensor that changed unseen need not matter: `relu` only asks for signs. But
where every element of the gradient arrives whole at a node, is multiplied by
what changed, and goes on whole to a leaf, the leaf's gradient is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from inplace_tui.engine.forecast.obstacles import Obstacle, Uncertain, UnknownReason
from inplace_tui.engine.state import values
from inplace_tui.model.histories import latest
from inplace_tui.model.snapshot import Elements, Node, Saved, Snapshot, Tensor, Unreadable
from inplace_tui.model.timeline import Timeline

CARRIERS = frozenset(
    {
        "AliasBackward0",
        "CloneBackward0",
        "NegBackward0",
        "PermuteBackward0",
        "ReshapeAliasBackward0",
        "SqueezeBackward0",
        "SqueezeBackward1",
        "SumBackward0",
        "TBackward0",
        "TransposeBackward0",
        "UnsafeViewBackward0",
        "UnsqueezeBackward0",
        "ViewBackward0",
    }
)
"""They hand on every element of a gradient, at most with another sign, whatever was saved."""

DERIVATIVES: dict[tuple[str, str], Callable[[float], float]] = {
    ("CosBackward0", "self"): lambda x: -math.sin(x),
    ("ExpBackward0", "result"): lambda y: y,
    ("LogBackward0", "self"): lambda x: 1 / x,
    ("ReciprocalBackward0", "result"): lambda y: -y * y,
    ("SigmoidBackward0", "result"): lambda y: y * (1 - y),
    ("SinBackward0", "self"): math.cos,
    ("SinhBackward0", "self"): math.cosh,
    ("SqrtBackward0", "result"): lambda y: 0.5 / y,
    ("TanhBackward0", "result"): lambda y: 1 - y * y,
}
"""What a node multiplies the gradient by, of what it saved, element by element."""

FAR = 1e-3
"""Of the largest factor: what must differ by so much can't be rounding."""


def proven_wrong(
    timeline: Timeline, index: int, root: int, met: Sequence[Obstacle]
) -> Uncertain | None:
    """Return the changed slot that makes a gradient wrong for certain; None if none does."""
    if (
        len(met) != 1
        or not isinstance(met[0], Uncertain)
        or met[0].why is not UnknownReason.CHANGED
    ):
        return None
    snapshot = timeline.at(index)
    chain = _chain(snapshot, root)
    if chain is None or chain[-1].leaf is None:
        return None
    leaf = snapshot.tensors.get(chain[-1].leaf)
    if leaf is None or leaf.grad is not None:
        return None  # what is there already could swallow the difference
    for node in chain[:-1]:
        if node.id != met[0].node and node.name not in CARRIERS:
            return None
    changed = met[0]
    slot = snapshot.saved[changed.node, changed.slot or ""]
    node = snapshot.nodes[changed.node]
    derivative = DERIVATIVES.get((node.name, slot.slot))
    if derivative is None or node.step is None:
        return None
    before = _factors(timeline, slot, node.step, derivative)
    after = _factors(timeline, slot, index, derivative)
    return changed if before and after and _far(before, after) else None


def _chain(snapshot: Snapshot, root: int) -> list[Node] | None:
    """Return the nodes from a root to its leaf; None where the way forks."""
    chain = [snapshot.nodes[root]]
    while chain[-1].leaf is None:
        ways = [edge.node for edge in chain[-1].inputs if edge is not None]
        if len(ways) != 1 or ways[0] not in snapshot.nodes:
            return None
        chain.append(snapshot.nodes[ways[0]])
    return chain


def _factors(
    timeline: Timeline, slot: Saved, index: int, derivative: Callable[[float], float]
) -> list[float]:
    """Return what the node multiplies by, in the order of memory; nothing if that is not known."""
    data = latest(
        timeline.histories.contents.get(-1 if slot.storage is None else slot.storage, ()), index
    )
    if data is None or slot.dtype not in ("float32", "float64"):
        return []
    count = math.prod(slot.shape)
    if len(data) != count * (4 if slot.dtype == "float32" else 8):
        return []  # it is a part of its storage, and which is not known
    row = Tensor(id=0, names=(), shape=(count,), dtype=slot.dtype, values=Elements(head=data))
    read = values.flat(row, Snapshot(tensors={}, storages={}, nodes={}, saved={}))
    if isinstance(read, Unreadable):
        return []
    try:
        found = [derivative(float(element.real)) for element in read[0]]
    except (ArithmeticError, ValueError):
        return []
    return found if all(map(math.isfinite, found)) else []


def _far(before: list[float], after: list[float]) -> bool:
    largest = max(map(abs, before))
    apart = max(abs(old - new) for old, new in zip(before, after, strict=True))
    return apart > FAR * largest and apart > 1e-30
