"""The graph: its nodes in the engine's order, and what is stored with each."""

from __future__ import annotations

import contextlib
import heapq
import sys
from collections.abc import Iterator
from typing import Any

from inplace_tui.blame import frames

STACK = "traceback_"
"""The key of `node.metadata` under which torch stores what `format_stack` returned."""

BELOW = "inplace_tui:below"
"""The key under which a node that was read holds the nodes below it, see `read`."""

PARENT = "parent_"
OURS = "inplace_tui:stack"
"""The key for the same while the program itself has anomaly mode on."""


class CreationSite(list):  # type: ignore[type-arg]
    """What `format_stack` returns: where a node was made.

    For other readers, as torch.compile, it is a list of lines: empty, as in a plain run, unless
    the program itself has anomaly mode on.
    """

    __slots__ = ("captured",)

    captured: frames.Capture
    number = 0
    """The number of nodes made before it in this run, where nodes have no sequence number."""
    hooked = False
    """Whether saved-tensor hooks were set: reading what was saved calls them."""


class NumberedCreationSite(CreationSite):
    """The same, where torch does not tell its number or whether it has hooks."""

    __slots__ = ("hooked", "number")


def creation_site(node: Any) -> CreationSite | None:
    """Return what was recorded when a node was made."""
    found = node.metadata.get(OURS, node.metadata.get(STACK))
    return found if isinstance(found, CreationSite) else None


def sequence_nr(node: Any) -> int:
    """Return the number by which the engine orders nodes: the later a node was made, the sooner.

    Nodes have no such number before torch 2.1; a leaf's node runs as soon as it can.
    """
    read = getattr(node, "_sequence_nr", None)
    if read is not None:
        return int(read())
    found = creation_site(node)
    return sys.maxsize if found is None or not node.next_functions else found.number


def read(node: Any) -> Any:
    """Return the edges of a node, and hold them with it.

    Torch frees a graph in a loop, but for nodes that Python has seen: each of these frees the next
    within itself, and a deep graph overflows the stack. Python's tuples do not nest as deep.
    """
    node.metadata[BELOW] = edges = node.next_functions
    return edges


def in_order(roots: list[Any]) -> Iterator[Any]:
    """Yield the nodes below these, in the order in which the engine comes to them."""
    users: dict[Any, int] = {}
    pending = list(dict.fromkeys(roots))
    seen = set(pending)
    while pending:
        for node, _ in read(pending.pop()):
            if node is not None:
                users[node] = users.get(node, 0) + 1
                if node not in seen:
                    seen.add(node)
                    pending.append(node)
    ready = [(-sequence_nr(node), index, node) for index, node in enumerate(seen)]
    ready = [each for each in ready if not users.get(each[2])]
    heapq.heapify(ready)
    count = len(seen)
    while ready:
        _, _, node = heapq.heappop(ready)
        yield node
        for following, _ in node.next_functions:
            if following is not None:
                users[following] -= 1
                if not users[following]:
                    count += 1
                    heapq.heappush(ready, (-sequence_nr(following), count, following))


def outside_modes() -> contextlib.AbstractContextManager[Any]:
    """Run outside the program's modes, so that they don't see what is read."""
    torch_c = sys.modules["torch._C"]
    if getattr(torch_c, "_len_torch_dispatch_stack", lambda: True)():  # from torch 2.0
        return _outside_all_modes()
    plainly: contextlib.AbstractContextManager[Any] = torch_c.DisableTorchFunction()
    return plainly


@contextlib.contextmanager
def _outside_all_modes() -> Iterator[None]:
    import torch

    with contextlib.ExitStack() as stack:
        stack.enter_context(torch._C.DisableTorchFunction())
        with contextlib.suppress(ImportError, AttributeError):
            from torch.utils._python_dispatch import _disable_current_modes

            stack.enter_context(_disable_current_modes())
        yield
