"""Walks through the graph of a snapshot."""

from __future__ import annotations

from collections.abc import Iterable

from inplace_tui.common.run.snapshot import Saved, Snapshot, Tensor


def inputs_of(snapshot: Snapshot, node: int) -> set[int]:
    """Return the nodes that a node gives gradients to, as far as they are known."""
    edges = snapshot.nodes[node].inputs
    return {edge.node for edge in edges if edge is not None and edge.node in snapshot.nodes}


def reachable(snapshot: Snapshot, roots: Iterable[int]) -> frozenset[int]:
    """Return the nodes that a backward from these would run, the roots included."""
    seen: set[int] = set()
    pending = list(roots)
    while pending:
        node = pending.pop()
        if node not in seen and node in snapshot.nodes:
            seen.add(node)
            pending += inputs_of(snapshot, node)
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


def delivering_to(snapshot: Snapshot, leaf: Tensor) -> frozenset[int]:
    """Return the nodes through which a gradient comes to a leaf."""
    users: dict[int, list[int]] = {}
    for node in snapshot.nodes.values():
        for edge in node.inputs:
            if edge is not None:
                users.setdefault(edge.node, []).append(node.id)
    seen: set[int] = set()
    pending = [node.id for node in snapshot.nodes.values() if node.leaf == leaf.id]
    while pending:
        key = pending.pop()
        if key not in seen:
            seen.add(key)
            pending += users.get(key, ())
    return frozenset(seen)


def engine_order(snapshot: Snapshot, nodes: list[int]) -> list[int]:
    """Return nodes in the order in which backward comes to them.

    A node is made after those that it gives gradients to, so that the one made last comes first.
    """
    return sorted(dict.fromkeys(nodes), key=lambda node: snapshot.nodes[node].priority)


def slots_in_engine_order(snapshot: Snapshot, slots: list[Saved]) -> list[Saved]:
    order = {n: at for at, n in enumerate(engine_order(snapshot, [slot.node for slot in slots]))}
    return sorted(slots, key=lambda slot: order[slot.node])
