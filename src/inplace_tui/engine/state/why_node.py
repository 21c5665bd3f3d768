"""Why a node is there: who made it, what it saved, and who would need it."""

from __future__ import annotations

from collections.abc import Iterator

from inplace_tui.engine.state.aliasing import letter_of
from inplace_tui.engine.state.why import MOST, Asked, Because
from inplace_tui.model.snapshot import Node, Saved, SlotState


def why_node(asked: Asked, number: int, *, states: bool) -> list[Because]:
    """Return the facts about one node.

    Args:
        asked: the moment.
        number: of the node.
        states: whether it may be told what has become of the saved tensors.
    """
    node = asked.snapshot.nodes.get(number)
    return [] if node is None else list(_facts(asked, node, states=states))


def _facts(asked: Asked, node: Node, *, states: bool) -> Iterator[Because]:
    if node.leaf is not None:
        leaf = asked.snapshot.tensors.get(node.leaf)
        name = leaf.names[0] if leaf is not None and leaf.names else "?"
        yield Because("node-leaf", {"name": name})
        return
    inputs = asked.inputs(node.id)
    key = "node-made" if inputs else "node-made-alone"
    yield Because(key, {"node": node.id, "names": tuple(inputs[:MOST])}, node.line)
    slots = [slot for slot in asked.snapshot.saved.values() if slot.node == node.id]
    for slot in slots[:MOST]:
        yield _slot(asked, slot, states=states)
    if node.opaque:
        yield Because("node-hides")
    elif not slots:
        yield Because("node-saved-nothing")
    yield Because("formula", {"node": node.id})
    needing = _needing(asked, node.id)
    if needing:
        yield Because("needed-by", {"names": tuple(needing[:MOST])})
    else:
        yield Because("needed-by-none")


def _slot(asked: Asked, slot: Saved, *, states: bool) -> Because:
    tensor = asked.snapshot.tensors.get(-1 if slot.tensor is None else slot.tensor)
    values = {
        "slot": slot.slot,
        "name": tensor.names[0] if tensor is not None and tensor.names else "",
        "letter": letter_of(slot.storage, asked.timeline),
        "version": slot.version,
        "now": slot.now,
    }
    if not states or slot.state is SlotState.FRESH:
        return Because("slot-output" if slot.is_output else "slot-input", values)
    keys = {SlotState.FREED: "slot-freed", SlotState.HOOKED: "slot-hooked"}
    stale = "slot-stale" if slot.now != slot.version else "slot-detached"
    return Because(keys.get(slot.state, stale), values)


def _needing(asked: Asked, number: int) -> list[str]:
    """Return the names of the tensors whose backward would come through a node."""
    nodes = asked.snapshot.nodes
    users: dict[int, list[int]] = {}
    for node in nodes.values():
        for edge in node.inputs:
            if edge is not None:
                users.setdefault(edge.node, []).append(node.id)
    above, waiting = set[int](), [number]
    while waiting:
        found = waiting.pop()
        if found not in above:
            above.add(found)
            waiting += users.get(found, [])
    rows = asked.snapshot.tensors.values()
    return [row.names[0] for row in rows if row.names and row.grad_fn in above]
