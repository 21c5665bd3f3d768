"""A rough idea of autograd, by which the grammar keeps its programs balanced.

It guesses how a program will come out, so that the four endings are about as
frequent as each other. No guess is ever shown: what is shown was run.
It knows versions and what was saved, but no values.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from inplace_tui.engine.blame.ending import Ending
from inplace_tui.model.enums import StrEnum


class WriteKind(StrEnum):
    """How a write comes to the memory."""

    RECORDED = "recorded"
    """Plainly: autograd records it."""

    NO_GRAD = "no_grad"
    """Not recorded, but counted."""

    UNCOUNTED = "uncounted"
    """Neither recorded nor counted: `.data`, numpy."""


@dataclass(eq=False)
class Memory:
    """Some numbers, and what autograd knows of them."""

    leaf: bool = False
    """Of a leaf that requires grad."""

    node: SketchNode | None = None
    version: int = 0
    unseen: int = 0
    """Writes that no version counter saw."""

    foreign: bool = False
    """It has a history, but holds values that this history did not compute."""

    graded: bool = False
    read: bool = False
    """Something was computed of it."""


@dataclass(frozen=True, eq=False)
class Handle:
    """A tensor, by which memory is read and written."""

    memory: Memory
    tracked: bool = True
    barred: bool = False
    """One of several views from one call: autograd refuses in-place writes to it."""

    @property
    def needs(self) -> bool:
        return self.tracked and (self.memory.leaf or self.memory.node is not None)


@dataclass(frozen=True)
class SketchSaved:
    """Memory as a node saw it."""

    memory: Memory
    version: int
    unseen: int
    coarse: bool = False
    """Only the signs matter, and most writes leave them as they are."""

    @property
    def is_stale(self) -> bool:
        """Whether backward would refuse it."""
        return self.version != self.memory.version

    @property
    def is_false(self) -> bool:
        """Whether backward would be deceived."""
        return self.unseen != self.memory.unseen and not self.coarse


@dataclass(eq=False)
class SketchNode:
    """An operation in the graph."""

    inputs: tuple[SketchNode, ...]
    leaves: tuple[Memory, ...]
    saved: tuple[SketchSaved, ...] = ()
    freed: bool = False


@dataclass
class Sketch:
    """Follows a program while it is made up."""

    ending: Ending | None = None
    """The first thing that goes wrong."""

    ambiguous: bool = False
    """What the right gradient is could be argued about."""

    write_kinds: set[WriteKind] = field(default_factory=set)
    """How it was written so far."""

    backwards: int = 0
    late: bool = False
    """Something else than a backward fails after a backward."""

    # What a program does.

    def result(
        self,
        *operands: Handle,
        saves: tuple[Handle, ...] = (),
        own: bool = False,
        constant: bool = False,
        coarse: bool = False,
    ) -> Handle:
        """Compute something new.

        Args:
            operands: what it is computed of.
            saves: those of them that its node keeps.
            own: its node keeps the result.
            constant: its node keeps a number, which nobody can write to.
            coarse: its node needs no more than the signs of what it keeps.
        """
        self._read(*operands)
        memory = Memory()
        if any(each.needs for each in operands):
            kept = [_saved(each.memory, coarse=coarse) for each in saves]
            kept += [_saved(memory, coarse=coarse)] if own else []
            kept += [_saved(Memory())] if constant else []
            memory.node = _node(operands, tuple(kept))
        return Handle(memory)

    def product(self, one: Handle, other: Handle) -> Handle:
        """Multiply: either is kept where the other wants a gradient."""
        return self.result(one, other, saves=_kept_by_product(one, other))

    def write(
        self,
        target: Handle,
        kind: WriteKind = WriteKind.RECORDED,
        *,
        operand: Handle | None = None,
        scales: bool = False,
        own: bool = False,
        constant: bool = False,
    ) -> None:
        """Write in place.

        Args:
            target: to what.
            kind: how autograd learns of it.
            operand: a tensor that the new value is made of, beside the old one.
            scales: it is multiplied, so the operand may be kept.
            own: the node keeps the new value.
            constant: the node keeps a number.
        """
        memory = target.memory
        if operand is not None:
            self._read(operand)
        if kind is not WriteKind.RECORDED or not target.tracked:
            memory.foreign |= memory.node is not None
            memory.unseen += kind is WriteKind.UNCOUNTED
            self.write_kinds.add(kind)
            memory.version += kind is not WriteKind.UNCOUNTED
            return
        self._read(target)
        if (target.needs and memory.leaf) or target.barred:
            self.fail(Ending.RAISES_BEFORE)
            return
        operands = (target,) if operand is None else (target, operand)
        kept: tuple[SketchSaved, ...] = ()
        if operand is not None and scales:
            kept = tuple(_saved(each.memory) for each in _kept_by_product(target, operand))
        memory.version += 1
        if any(each.needs for each in operands):
            kept += (_saved(memory),) if own else ()
            kept += (_saved(Memory()),) if constant else ()
            memory.node = _node(operands, kept)

    def backward(self, loss: Handle, *, retain: bool = False) -> None:
        if not loss.needs:
            self.fail(Ending.RAISES_IN_BACKWARD)
            return
        nodes = _reached(loss.memory.node)
        for node in nodes:
            if node.saved and (node.freed or any(each.is_stale for each in node.saved)):
                self.fail(Ending.RAISES_IN_BACKWARD)
            elif any(each.is_false for each in node.saved):
                self.fail(Ending.WRONG)
        for node in nodes:
            node.freed |= not retain
            for leaf in node.leaves:
                leaf.graded = True
        self.backwards += 1

    def step(self, leaf: Handle) -> None:
        """Let an optimizer update a leaf; without a gradient it leaves it alone."""
        leaf.memory.version += leaf.memory.graded

    def fail(self, how: Ending) -> None:
        """Something goes wrong; what raises ends the program, what deceives does not."""
        if self.ending is None or (self.ending is Ending.WRONG and how is not Ending.WRONG):
            self.late |= how is Ending.RAISES_BEFORE and self.backwards > 0
            self.ending = how

    def _read(self, *operands: Handle) -> None:
        for each in operands:
            self.ambiguous |= each.memory.foreign
            each.memory.read = True


def _saved(memory: Memory, *, coarse: bool = False) -> SketchSaved:
    return SketchSaved(memory, memory.version, memory.unseen, coarse)


def _kept_by_product(one: Handle, other: Handle) -> tuple[Handle, ...]:
    kept = [other] if one.needs else []
    return (*kept, one) if other.needs else tuple(kept)


def _node(operands: tuple[Handle, ...], saved: tuple[SketchSaved, ...]) -> SketchNode:
    inputs = [e.memory.node for e in operands if e.needs and e.memory.node is not None]
    leaves = [each.memory for each in operands if each.needs and each.memory.leaf]
    return SketchNode(tuple(inputs), tuple(leaves), saved)


def _reached(first: SketchNode | None) -> list[SketchNode]:
    found: list[SketchNode] = []
    waiting = [] if first is None else [first]
    while waiting:
        node = waiting.pop()
        if not any(node is each for each in found):
            found.append(node)
            waiting += node.inputs
    return found
