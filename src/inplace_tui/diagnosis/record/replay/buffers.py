"""A gradient of its own for every input of a node: writing one changes no other.

Torch hands the very same tensor to both inputs of an addition. A hook that
clips it in place clips the other one too. Where no code of the program's runs
in backward, nobody can, and nothing is done.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import TypeAlias

import torch
from torch.autograd.graph import GradientEdge, Node, get_gradient_edge
from torch.utils.hooks import RemovableHandle

from inplace_tui.diagnosis.record.compat import engine, engine_replaced
from inplace_tui.diagnosis.record.replay.findings import Findings
from inplace_tui.diagnosis.record.state.safe_reads import is_opaque

Root: TypeAlias = torch.Tensor | GradientEdge
Gradients: TypeAlias = tuple[torch.Tensor | None, ...]


@contextmanager
def separated(findings: Findings) -> Iterator[None]:
    """Let no two inputs share a gradient, until the block is left."""
    run_engine = engine()
    # Registering a hook, at a tensor, a node or a module, makes a handle.
    unhooked = RemovableHandle.next_id

    def run_backward(roots: Sequence[Root], *args: object, **options: object) -> Gradients:
        hooked = RemovableHandle.next_id != unhooked
        if not (hooked or findings.has_functions or torch._C._len_torch_dispatch_stack()):
            return run_engine(roots, *args, **options)
        given, *rest = args
        if isinstance(given, tuple):
            given = _own(given, ())
        with ExitStack() as hooks:
            for node in _branching(roots):
                hooks.callback(node.register_hook(_own).remove)
            return run_engine(roots, given, *rest, **options)

    with engine_replaced(run_backward):
        yield


def _own(gradients: Gradients, _outputs: Gradients) -> Gradients:
    return tuple(
        gradient if gradient is None or is_opaque(gradient) else gradient.clone()
        for gradient in gradients
    )


def _branching(roots: Sequence[Root]) -> Iterator[Node]:
    """Yield the nodes below that send gradients to more than one place."""
    seen: set[Node] = set()
    waiting: list[Node] = []
    for root in roots:
        with suppress(RuntimeError):  # no graph: the engine is about to say so
            edge = root if isinstance(root, GradientEdge) else get_gradient_edge(root)
            waiting.append(edge.node)
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        below = [after for after, _ in node.next_functions if after is not None]
        if len(below) > 1:
            yield node
        waiting.extend(below)
