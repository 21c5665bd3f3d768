"""Why a tensor is as it is: the facts of the timeline behind every cell of the table.

Each fact is a key of `common/texts/why.py`, the values that its sentence names, and the
line of the program that it is about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from inplace_tui.common.run.snapshot import (
    NOT_ASKED,
    Saved,
    SlotState,
    Snapshot,
    Tensor,
    Unreadable,
    overlap,
)
from inplace_tui.common.run.step import Mutation, Step
from inplace_tui.common.run.timeline import Timeline, letter_of

MAX_LISTED = 5
"""Writes, names or lines that one answer lists; more are counted."""


@dataclass(frozen=True)
class WhyFact:
    """One fact."""

    key: str
    values: Mapping[str, object] = field(default_factory=dict)
    line: int | None = None


class WhyAnswers:
    """One moment of a timeline, and questions about its tensors."""

    def __init__(self, timeline: Timeline, index: int) -> None:
        self.timeline = timeline
        self.index = index
        self.snapshot: Snapshot = timeline.at(index)
        self._histories = timeline.histories

    def why(self, tensor: Tensor, facet: str) -> list[WhyFact]:
        answers = {
            "names": self._names,
            "shape": self._form,
            "dtype": self._form,
            "version": self._version,
            "storage": self._storage,
            "data_ptr": self._storage,
            "base": self._base,
            "is_leaf": self._leaf,
            "requires_grad": self._requires_grad,
            "retains_grad": self._retains_grad,
            "is_inference": self._inference,
            "grad_fn": self._grad_fn,
            "grad": self._grad,
            "values": self._values,
        }
        return list(answers[facet](tensor)) if facet in answers else []

    # Where it comes from.

    def _made(self, tensor: Tensor) -> Step | None:
        rows = self._histories.rows.get(tensor.id)
        return self.timeline.steps[rows[0][0]] if rows else None

    def _names(self, tensor: Tensor) -> Iterator[WhyFact]:
        yield self._at(self._made(tensor), "made")
        if len(tensor.names) > 1:
            yield WhyFact("same-object", {"names": tensor.names[:MAX_LISTED]})

    def _form(self, tensor: Tensor) -> Iterator[WhyFact]:
        step = self._made(tensor)
        for at, row in self._rows(tensor):
            if (row.shape, row.dtype) == (tensor.shape, tensor.dtype):
                step = self.timeline.steps[at]
                break
        yield self._at(step, "form")
        if tensor.is_view:
            yield from self._base(tensor)

    def _base(self, tensor: Tensor) -> Iterator[WhyFact]:
        if not tensor.is_view:
            yield WhyFact("own-memory")
            return
        base = self.snapshot.tensors.get(-1 if tensor.base is None else tensor.base)
        key = "view" if base is not None else "view-unnamed"
        yield self._at(self._made(tensor), key, base=_name(base))

    def _leaf(self, tensor: Tensor) -> Iterator[WhyFact]:
        if isinstance(tensor.is_leaf, Unreadable):
            yield _outdated(tensor.is_leaf)
        elif not tensor.requires_grad:
            yield WhyFact("leaf-no-grad")
        elif tensor.is_leaf:
            yield self._at(self._since(tensor, "requires_grad"), "leaf-asked")
        else:
            yield from self._grad_fn(tensor)

    def _grad_fn(self, tensor: Tensor) -> Iterator[WhyFact]:
        if isinstance(tensor.grad_fn, Unreadable):
            yield _outdated(tensor.grad_fn)
        elif tensor.grad_fn is None:
            yield WhyFact("no-node-leaf" if tensor.requires_grad else "no-node")
            if not tensor.requires_grad:
                yield from self._requires_grad(tensor)
        else:
            node = self.snapshot.nodes.get(tensor.grad_fn)
            if node is not None:
                inputs = self.inputs(node.id)
                key = "made-from" if inputs else "made-by"
                values = {"node": node.id, "names": tuple(inputs[:MAX_LISTED])}
                yield WhyFact(key, values, node.line)

    def inputs(self, number: int) -> list[str]:
        nodes, rows = self.snapshot.nodes, self.snapshot.tensors.values()
        leaves = {row.id: row.names[0] for row in rows if row.names}
        made = {row.grad_fn: row.names[0] for row in rows if row.names and row.grad_fn is not None}
        found: dict[str, None] = {}
        waiting, seen = [number], {number}
        while waiting:
            for edge in nodes[waiting.pop(0)].inputs:
                if edge is None or edge.node in seen or edge.node not in nodes:
                    continue
                seen.add(edge.node)
                leaf = nodes[edge.node].leaf
                name = made.get(edge.node) or leaves.get(-1 if leaf is None else leaf)
                if name is not None:
                    found[name] = None
                else:
                    waiting.append(edge.node)
        return list(found)

    # What autograd thinks of it.

    def _requires_grad(self, tensor: Tensor) -> Iterator[WhyFact]:
        if tensor.requires_grad:
            if tensor.grad_fn is None:
                yield self._at(self._since(tensor, "requires_grad"), "asked-for")
            else:
                yield from self._grad_fn(tensor)
                yield WhyFact("from-input")
            return
        step = self._made(tensor)
        sharing = [row for row in self._sharing(tensor) if row.requires_grad]
        if tensor.is_inference:
            yield self._at(step, "inference")
        elif not tensor.dtype.startswith(("float", "bfloat", "complex")):
            yield WhyFact("no-derivative", {"dtype": tensor.dtype})
        elif any(row.grad == tensor.id for row in self.snapshot.tensors.values()):
            yield WhyFact("is-gradient")
        elif sharing:
            yield self._at(step, "cut-off", name=_name(sharing[0]))
        elif step is not None and not step.grad_enabled:
            yield self._at(step, "no-grad")
        else:
            yield self._at(step, "nobody-asked")

    def _retains_grad(self, tensor: Tensor) -> Iterator[WhyFact]:
        if tensor.retains_grad:
            yield self._at(self._since(tensor, "retains_grad"), "retains")
        elif not tensor.requires_grad:
            yield WhyFact("grad-not-required")
        else:
            yield WhyFact("leaf-keeps" if tensor.is_leaf is True else "does-not-retain")

    def _inference(self, tensor: Tensor) -> Iterator[WhyFact]:
        yield self._at(self._made(tensor), "inference" if tensor.is_inference else "not-inference")

    def _grad(self, tensor: Tensor) -> Iterator[WhyFact]:
        if tensor.grad is not None:
            yield from self._filled(tensor)
        elif not tensor.requires_grad:
            yield WhyFact("grad-not-required")
            yield from self._requires_grad(tensor)
        elif tensor.is_leaf is not True and not tensor.retains_grad:
            yield WhyFact("grad-not-leaf")
        else:
            yield self._why_empty(tensor)

    def _filled(self, tensor: Tensor) -> Iterator[WhyFact]:
        history = self._histories.rows.get(tensor.grad if tensor.grad is not None else -1, ())
        storage = next((row.storage for _, row in reversed(history)), None)
        contents = self._histories.contents.get(-1 if storage is None else storage, ())
        steps = [at for at, _ in contents if at <= self.index]
        first = next((at for at, row in self._rows(tensor) if row.grad == tensor.grad), self.index)
        lines = [self.timeline.steps[at].line for at in sorted({first, *steps}) if at >= first]
        if len(lines) < 2:
            yield WhyFact("grad-filled", {}, lines[0] if lines else None)
        else:
            yield WhyFact("grad-summed", {"lines": tuple(lines[:MAX_LISTED])}, lines[-1])

    def _why_empty(self, tensor: Tensor) -> WhyFact:
        emptied = None
        rows = list(self._rows(tensor))
        for (_, before), (at, row) in pairwise(rows):
            if before.grad is not None and row.grad is None:
                emptied = self.timeline.steps[at]
        if emptied is not None:
            return self._at(emptied, "grad-emptied")
        since = self._made(tensor)
        steps = self.timeline.steps[since.index if since else 0 : self.index + 1]
        ran = next((step for step in reversed(steps) if self._ran_backward(step)), None)
        return self._at(ran, "grad-no-backward" if ran is None else "grad-not-reached")

    def _ran_backward(self, step: Step) -> bool:
        new = {node.id for node in step.nodes}
        if step.in_backward or any(
            slot.state is SlotState.FREED and slot.node not in new for slot in step.saved
        ):
            return True
        filled = [row for row in step.tensors if row.grad is not None]
        before = [self._histories.row_at(row.id, step.index - 1) for row in filled]
        return any(
            old is None or old.grad != row.grad for row, old in zip(filled, before, strict=True)
        )

    # What it holds.

    def _version(self, tensor: Tensor) -> Iterator[WhyFact]:
        if tensor.version is None:
            yield WhyFact("no-version")
            return
        if isinstance(tensor.version, Unreadable):
            yield WhyFact("outdated")
            return
        written = self._counted(tensor, tensor.version)
        if not written and tensor.version == 0:
            yield WhyFact("never-written")
        for event in written[:MAX_LISTED]:
            yield _write("wrote", event)
        if len(written) > MAX_LISTED:
            yield WhyFact("more-writes", {"count": len(written) - MAX_LISTED}, written[-1].line)
        before = written[0].before if written else tensor.version
        if before:
            yield self._at(self._made(tensor), "born-with", version=before)
        hidden = [e for e in self._writes(tensor) if e.before is None or e.before == e.after]
        if hidden:
            yield _write("unseen-write", hidden[-1])

    def _counted(self, tensor: Tensor, version: int) -> list[Mutation]:
        chain: list[Mutation] = []
        for event in reversed(list(self._writes(tensor))):
            if event.after == version and event.before is not None and event.before < version:
                chain.append(event)
                version = event.before
        return chain[::-1]

    def _values(self, tensor: Tensor) -> Iterator[WhyFact]:
        writes = list(self._writes(tensor))
        if writes:
            yield _write("last-write", writes[-1])
        else:
            yield self._at(self._made(tensor), "values-made")

    def _storage(self, tensor: Tensor) -> Iterator[WhyFact]:
        letter = letter_of(tensor.storage, self.timeline)
        others = self._sharing(tensor)
        if tensor.storage is None:
            yield WhyFact("no-storage")
        elif not others:
            yield self._at(self._made(tensor), "alone", letter=letter)
        for other in others[:MAX_LISTED]:
            since = max(self._since_storage(tensor), self._since_storage(other))
            key = "shares-apart" if overlap(tensor, other) is False else "shares"
            step = self.timeline.steps[since]
            yield self._at(step, key, name=_name(other), letter=letter)

    # The past.

    def _rows(self, tensor: Tensor) -> Iterator[tuple[int, Tensor]]:
        rows = self._histories.rows.get(tensor.id, ())
        return ((at, row) for at, row in rows if at <= self.index)

    def _writes(self, tensor: Tensor) -> Iterator[Mutation]:
        life = self.timeline.index.lives.get(-1 if tensor.storage is None else tensor.storage)
        steps = [] if life is None else [at for at, _ in life.writes if at <= self.index]
        for at in dict.fromkeys(steps):
            for event in self.timeline.steps[at].events:
                if isinstance(event, Mutation) and event.storage == tensor.storage:
                    yield event

    def _since(self, tensor: Tensor, name: str) -> Step | None:
        """Return the step since which a field has been as it is now."""
        found = None
        for at, row in self._rows(tensor):
            same = getattr(row, name) == getattr(tensor, name)
            found = (at if found is None else found) if same else None
        return None if found is None else self.timeline.steps[found]

    def _since_storage(self, tensor: Tensor) -> int:
        rows = self._rows(tensor)
        return next((at for at, row in rows if row.storage == tensor.storage), self.index)

    def _sharing(self, tensor: Tensor) -> list[Tensor]:
        if tensor.storage is None:
            return []
        rows = self.snapshot.tensors.values()
        return [r for r in rows if r.storage == tensor.storage and r.id != tensor.id]

    def _at(self, step: Step | None, key: str, **values: object) -> WhyFact:
        return WhyFact(key, values, None if step is None else step.line)


def _write(key: str, event: Mutation) -> WhyFact:
    key = f"{key}-unnamed" if event.op is None else key
    values = {"op": event.op or "", "before": event.before, "after": event.after}
    return WhyFact(key, values, event.line)


def _name(tensor: Tensor | None) -> str:
    return tensor.names[0] if tensor is not None and tensor.names else "?"


def why_node(asked: WhyAnswers, number: int, *, states: bool) -> Iterator[WhyFact]:
    node = asked.snapshot.nodes[number]
    if node.leaf is not None:
        yield WhyFact("node-leaf", {"name": _name(asked.snapshot.tensors.get(node.leaf))})
        return
    inputs = asked.inputs(node.id)
    key = "node-made" if inputs else "node-made-alone"
    yield WhyFact(key, {"node": node.id, "names": tuple(inputs[:MAX_LISTED])}, node.line)
    slots = [slot for slot in asked.snapshot.saved.values() if slot.node == node.id]
    for slot in slots[:MAX_LISTED]:
        yield _slot(asked, slot, states=states)
    if node.opaque:
        yield WhyFact("node-hides")
    elif not slots:
        yield WhyFact("node-saved-nothing")
    yield WhyFact("formula", {"node": node.id})
    needing = _needing(asked, node.id)[:MAX_LISTED]
    yield WhyFact("needed-by", {"names": tuple(needing)}) if needing else WhyFact("needed-by-none")


def _slot(asked: WhyAnswers, slot: Saved, *, states: bool) -> WhyFact:
    tensor = asked.snapshot.tensors.get(-1 if slot.tensor is None else slot.tensor)
    values = {
        "slot": slot.slot,
        "name": tensor.names[0] if tensor is not None and tensor.names else "",
        "letter": letter_of(slot.storage, asked.timeline),
        "version": slot.version,
        "now": slot.now,
    }
    fresh = "slot-output" if slot.is_output else "slot-input"
    if asked.snapshot.nodes[slot.node].is_compiled:
        values["slot"], fresh = values["name"] or values["letter"], "slot-compiled"
    if not states or slot.state is SlotState.FRESH:
        return WhyFact(fresh, values)
    keys = {SlotState.FREED: "slot-freed", SlotState.HOOKED: "slot-hooked"}
    stale = "slot-stale" if slot.now != slot.version else "slot-detached"
    return WhyFact(keys.get(slot.state, stale), values)


def _needing(asked: WhyAnswers, number: int) -> list[str]:
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


def _outdated(view: Unreadable) -> WhyFact:
    return WhyFact("not-asked" if view == NOT_ASKED else "outdated")
