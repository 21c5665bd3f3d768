"""Walks through the graph of a snapshot."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from inplace_tui.common.run.snapshot import Saved, Snapshot, Tensor


def inputs_of(snapshot: Snapshot, node: int) -> set[int]:
    """Return the nodes that a node gives gradients to, as far as they are known."""
    edges = snapshot.nodes[node].inputs
    return {edge.node for edge in edges if edge is not None and edge.node in snapshot.nodes}


def reachable(snapshot: Snapshot, roots: Iterable[int]) -> frozenset[int]:
    """Return the nodes that a backward from these would run, the roots included."""
    known = (root for root in roots if root in snapshot.nodes)
    return _closure(known, lambda node: inputs_of(snapshot, node))


def _closure(roots: Iterable[int], following: Callable[[int], Iterable[int]]) -> frozenset[int]:
    seen: set[int] = set()
    pending = list(roots)
    while pending:
        node = pending.pop()
        if node not in seen:
            seen.add(node)
            pending += following(node)
    return frozenset(seen)


def below(snapshot: Snapshot, node: int) -> frozenset[int]:
    """Return the nodes that can't run before this one."""
    return reachable(snapshot, inputs_of(snapshot, node))


def reached_from(snapshot: Snapshot, names: list[str]) -> frozenset[int]:
    tensors = [snapshot.named(name) for name in names]
    roots = [each.grad_fn for each in tensors if each is not None]
    return reachable(snapshot, [root for root in roots if isinstance(root, int)])


def leaves_of(snapshot: Snapshot, node: int) -> set[int]:
    """Return the leaves to which a backward that comes through `node` delivers."""
    leaves = (snapshot.nodes[each].leaf for each in reachable(snapshot, [node]))
    return {leaf for leaf in leaves if leaf is not None}


def leading_to(snapshot: Snapshot, ends: Iterable[int]) -> frozenset[int]:
    """Return the nodes through which a gradient comes to some nodes, those included."""
    users: dict[int, list[int]] = {}
    for node in snapshot.nodes.values():
        for edge in node.inputs:
            if edge is not None:
                users.setdefault(edge.node, []).append(node.id)
    return _closure(ends, lambda node: users.get(node, ()))


def delivering_to(snapshot: Snapshot, leaf: Tensor) -> frozenset[int]:
    """Return the nodes through which a gradient comes to a leaf."""
    ends = [node.id for node in snapshot.nodes.values() if node.leaf == leaf.id]
    return leading_to(snapshot, ends)


def slots_in_engine_order(snapshot: Snapshot, slots: list[Saved]) -> list[Saved]:
    """Return slots in the order in which backward comes to their nodes.

    A node is made after those that it gives gradients to, so that the one made last comes first.
    """
    return sorted(slots, key=lambda slot: snapshot.nodes[slot.node].priority)
