"""What an open question withholds, asked by every panel in the same words."""

from __future__ import annotations

from inplace_tui.common.cells import clean
from inplace_tui.common.run.histories import value_at
from inplace_tui.common.run.snapshot import Tensor
from inplace_tui.tutorial.activity.session.view import Gate, View

HIDDEN = "▒▒"


def asked_step(view: View) -> int | None:
    """Return the first step before which a question still stands unanswered."""
    waiting = [step for step, gate in view.gates.items() if gate is not Gate.DONE]
    return min(waiting, default=None)


def may_answer(view: View, step: int) -> bool:
    """Whether what this step wrote, raised or left may answer a question."""
    asked = asked_step(view)
    return asked is not None and step >= asked


def hides(view: View, tensor: Tensor, facet: str) -> bool:
    """Whether a cell of the table is hidden: it would answer the question.

    What is asked of a tensor would also be read from another one on the same
    storage, and a gradient from the tensor that is in `.grad`.
    """
    if view.mask.hides(tensor, facet):
        return True
    if facet == "forecast":  # it would reveal graphs and versions, too
        return view.mask.outcome or bool(view.mask.cells)
    if facet in ("values", "version") and tensor.storage is not None and view.mask.cells:
        return any(
            view.mask.hides(other, facet)
            for other in view.snapshot.tensors.values()
            if other.storage == tensor.storage
        )
    return facet == "grad" and _gradient_may_answer(view, tensor)


def is_stale(view: View, storage: int | None) -> bool:
    """Whether a node saved a storage that was changed since, where that may be shown."""
    life = None if storage is None else view.timeline.index.lives.get(storage)
    return life is not None and not view.mask.outcome and value_at(life.stale, view.cursor) > 0


def shown(view: View) -> list[Tensor]:
    """Return the tensors that may have a row."""
    tensors = view.snapshot.tensors
    without_answer = {
        tensor.grad
        for tensor in tensors.values()
        if tensor.grad is not None and hides(view, tensor, "grad")
    }
    return [tensor for tensor in tensors.values() if tensor.id not in without_answer]


def node_name(view: View, number: int) -> str:
    """Return a node's name: none where a tensor's `grad_fn` is the question."""
    for tensor in view.snapshot.tensors.values():
        if tensor.grad_fn == number and hides(view, tensor, "grad_fn"):
            return HIDDEN
    node = view.snapshot.nodes.get(number)
    return clean(node.name) if node else "?"


def _gradient_may_answer(view: View, tensor: Tensor) -> bool:
    """Whether the gradient came, or may have come, after the question."""
    asked = asked_step(view)
    if not view.mask.outcome or asked is None or view.cursor < asked:
        return False
    before = view.timeline.at(asked - 1)
    old = before.tensors.get(tensor.id)
    if old is None or old.grad is None or old.grad != tensor.grad:
        return True
    return before.tensors.get(old.grad) is not view.snapshot.tensors.get(old.grad)
