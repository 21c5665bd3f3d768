"""A program while it is made up, and a rough model of autograd that keeps programs balanced.

It guesses how a program will end, so that the four endings are about equally
frequent. No guess is ever shown: what is shown was run. It tracks versions and
what was saved, but no values.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from operator import itemgetter
from random import Random

from inplace_tui.common.enums import StrEnum
from inplace_tui.common.run.ending import Ending


class WriteKind(StrEnum):
    """How a write is known to autograd."""

    RECORDED = "recorded"
    """Recorded in the graph, and counted."""

    NO_GRAD = "no_grad"
    """Not recorded, but counted."""

    UNCOUNTED = "uncounted"
    """Neither recorded nor counted: `.data`, numpy."""


@dataclass(eq=False)
class Memory:
    """A piece of memory, and what autograd knows of it."""

    leaf: bool = False
    """Of a leaf that requires grad."""

    node: SketchNode | None = None
    version: int = 0
    uncounted: int = 0
    """Writes that no version counter saw."""

    foreign: bool = False
    """It has a node, but values that this node did not compute."""

    has_grad: bool = False
    read: bool = False
    """Something was computed from it."""


@dataclass(frozen=True, eq=False)
class Handle:
    """A tensor through which memory is read and written."""

    memory: Memory
    tracked: bool = True
    """False for a detached alias: operations on it are not recorded."""

    refuses_writes: bool = False
    """One of several views from one call: autograd refuses in-place writes to it."""

    @property
    def needs_grad(self) -> bool:
        return self.tracked and (self.memory.leaf or self.memory.node is not None)


@dataclass(frozen=True)
class SketchSaved:
    """Memory as a node saw it."""

    memory: Memory
    version: int
    uncounted: int
    signs_only: bool = False
    """Only the signs matter, and most writes leave them as they are."""

    @property
    def is_stale(self) -> bool:
        """Whether backward would raise at it."""
        return self.version != self.memory.version

    @property
    def is_silently_wrong(self) -> bool:
        """Whether backward would compute with other values, without an error."""
        return self.uncounted != self.memory.uncounted and not self.signs_only


@dataclass(eq=False)
class SketchNode:
    """An operation in the graph."""

    inputs: tuple[SketchNode, ...]
    leaves: tuple[Memory, ...]
    saved: tuple[SketchSaved, ...] = ()
    freed: bool = False


@dataclass
class Sketch:
    """Follows a program while it is generated."""

    ending: Ending | None = None
    """The first thing that went wrong."""

    ambiguous: bool = False
    """It is arguable what the right gradient is."""

    write_kinds: set[WriteKind] = field(default_factory=set)
    backwards: int = 0
    late: bool = False
    """Something other than backward fails, after a backward."""

    # What a program does.

    def result(
        self,
        *operands: Handle,
        saves: tuple[Handle, ...] = (),
        saves_result: bool = False,
        saves_number: bool = False,
        signs_only: bool = False,
    ) -> Handle:
        """Compute a new tensor.

        Args:
            saves: those of them that its node saves.
            saves_result: its node keeps the result.
            saves_number: its node keeps a number, which nobody can write to.
            signs_only: its node needs only the signs of what it saves.
        """
        self._read(*operands)
        memory = Memory()
        if any(each.needs_grad for each in operands):
            kept = [_saved(each.memory, signs_only=signs_only) for each in saves]
            kept += [_saved(memory, signs_only=signs_only)] if saves_result else []
            kept += [_saved(Memory())] if saves_number else []
            memory.node = _node(operands, tuple(kept))
        return Handle(memory)

    def product(self, one: Handle, other: Handle) -> Handle:
        """Multiply: each is saved if the other needs a gradient."""
        return self.result(one, other, saves=_saved_by_product(one, other))

    def write(
        self,
        target: Handle,
        kind: WriteKind = WriteKind.RECORDED,
        *,
        operand: Handle | None = None,
        scales: bool = False,
        saves_result: bool = False,
        saves_number: bool = False,
    ) -> None:
        """Write in place.

        Args:
            kind: how autograd knows of it.
            operand: another tensor that the new value is computed from.
            scales: it multiplies, so the operand may be saved.
            saves_result: the node keeps the new value.
        """
        memory = target.memory
        if operand is not None:
            self._read(operand)
        if kind is not WriteKind.RECORDED or not target.tracked:
            memory.foreign |= memory.node is not None
            memory.uncounted += kind is WriteKind.UNCOUNTED
            self.write_kinds.add(kind)
            memory.version += kind is not WriteKind.UNCOUNTED
            return
        self._read(target)
        if (target.needs_grad and memory.leaf) or target.refuses_writes:
            self.fail(Ending.RAISES_BEFORE)
            return
        operands = (target,) if operand is None else (target, operand)
        kept: tuple[SketchSaved, ...] = ()
        if operand is not None and scales:
            kept = tuple(_saved(each.memory) for each in _saved_by_product(target, operand))
        memory.version += 1
        if any(each.needs_grad for each in operands):
            kept += (_saved(memory),) if saves_result else ()
            kept += (_saved(Memory()),) if saves_number else ()
            memory.node = _node(operands, kept)

    def backward(self, loss: Handle, *, retain: bool = False) -> None:
        if not loss.needs_grad:
            self.fail(Ending.RAISES_IN_BACKWARD)
            return
        nodes = _reached(loss.memory.node)
        for node in nodes:
            if node.saved and (node.freed or any(each.is_stale for each in node.saved)):
                self.fail(Ending.RAISES_IN_BACKWARD)
            elif any(each.is_silently_wrong for each in node.saved):
                self.fail(Ending.WRONG)
        for node in nodes:
            node.freed |= not retain
            for leaf in node.leaves:
                leaf.has_grad = True
        self.backwards += 1

    def step(self, leaf: Handle) -> None:
        """Let an optimizer update a leaf, if it has a gradient."""
        leaf.memory.version += leaf.memory.has_grad

    def fail(self, how: Ending) -> None:
        """Note what goes wrong; an error ends the program, a silently wrong gradient does not."""
        if self.ending is None or (self.ending is Ending.WRONG and how is not Ending.WRONG):
            self.late |= how is Ending.RAISES_BEFORE and self.backwards > 0
            self.ending = how

    def _read(self, *operands: Handle) -> None:
        for each in operands:
            self.ambiguous |= each.memory.foreign
            each.memory.read = True


def _saved(memory: Memory, *, signs_only: bool = False) -> SketchSaved:
    return SketchSaved(memory, memory.version, memory.uncounted, signs_only)


def _saved_by_product(one: Handle, other: Handle) -> tuple[Handle, ...]:
    kept = [other] if one.needs_grad else []
    return (*kept, one) if other.needs_grad else tuple(kept)


def _node(operands: tuple[Handle, ...], saved: tuple[SketchSaved, ...]) -> SketchNode:
    inputs = [e.memory.node for e in operands if e.needs_grad and e.memory.node is not None]
    leaves = [each.memory for each in operands if each.needs_grad and each.memory.leaf]
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


class Tag(StrEnum):
    """A concept that a program needs; statistics are kept by it."""

    IN_PLACE = "in-place"
    SAVED_OUTPUT = "saved-output"
    SAVED_INPUT = "saved-input"
    LEAF = "leaf"
    NO_GRAD = "no-grad"
    DATA = "data"
    DETACH = "detach"
    NUMPY = "numpy"
    VIEW = "view"
    ITEM = "item"
    CLONE = "clone"
    REBINDING = "rebinding"
    OPTIMIZER = "optimizer"
    TWICE = "twice"
    LAYER = "layer"


TAUGHT_BY: dict[Tag, tuple[str, ...]] = {
    Tag.TWICE: ("freed-graph", "saved-tensor"),
    Tag.OPTIMIZER: ("step-between", "training-step"),
    Tag.LAYER: ("in-place-activation", "hidden-in-place"),
    Tag.CLONE: ("detach-clone",),
    Tag.NUMPY: ("numpy-alias", "silent-gradient"),
    Tag.DATA: ("data-counter", "data-attribute"),
    Tag.DETACH: ("detach-alias", "detach-safety"),
    Tag.NO_GRAD: ("no-grad-counts", "no-grad-update"),
    Tag.VIEW: ("view", "shared-counter"),
    Tag.REBINDING: ("rebinding", "augmented-assignment"),
    Tag.ITEM: ("item-assignment", "version-counter"),
    Tag.LEAF: ("leaf-write-refused", "leaf"),
    Tag.IN_PLACE: ("version-counter", "in-place-op"),
    Tag.SAVED_INPUT: ("saved-input",),
    Tag.SAVED_OUTPUT: ("saved-output",),
}
"""The concepts of the course behind a tag, the nearest first; the most telling tag first."""


FROM_LEVEL = {
    Tag.DETACH: 2,
    Tag.ITEM: 2,
    Tag.NUMPY: 3,
    Tag.VIEW: 3,
    Tag.LAYER: 4,
    Tag.OPTIMIZER: 4,
    Tag.TWICE: 4,
}
"""The first level with programs that have such a tag; of the others it is 1."""


def tag_about(concepts: Iterable[str]) -> Tag | None:
    """Return the tag of the programs that are about one of these, the first that there is."""
    for concept in concepts:
        found = [(t.index(concept), tag) for tag, t in TAUGHT_BY.items() if concept in t]
        if found:
            return min(found, key=itemgetter(0))[1]
    return None


SIZE = 3
"""Elements of every vector that is no slice."""

_NAMES = ("h", "y", "z", "a", "u")


@dataclass(frozen=True)
class NamedTensor:
    """A tensor with a name in the program."""

    name: str
    handle: Handle
    size: int = SIZE
    """Elements; 0 for a scalar."""

    adds_up: bool = False
    """Whether its elements always have the same sum, whose gradient says nothing."""

    positive: bool = False
    """Whether a root or a logarithm may be drawn from it."""


class ProgramWriter:
    """Writes a program line by line, and sketches what the lines do."""

    def __init__(self, random: Random, level: int) -> None:
        self.random = random
        self.level = level
        self.sketch = Sketch()
        self.lines: list[str] = []
        self.tags: list[Tag] = []
        self.held: dict[str, NamedTensor] = {}
        self.leaves: list[Memory] = []
        self.matters = False
        """A tensor was written after something had been computed from it, or in a graph."""

        self._latest = ""
        self._names = list(_NAMES)
        self.random.shuffle(self._names)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def add(self, line: str, *tags: Tag) -> None:
        self.lines.append(line)
        self.about(*tags)

    def about(self, *tags: Tag) -> None:
        self.tags += [tag for tag in tags if tag not in self.tags]

    def hold(self, named: NamedTensor) -> NamedTensor:
        self.held[named.name] = named
        return named

    def fresh(self) -> str:
        return self._names.pop(0) if self._names else f"h{len(self.held)}"

    def free(self, *names: str) -> str:
        taken = {*self.held, *(line.partition(" =")[0] for line in self.lines)}
        left = [name for name in names if name not in taken]
        return self.random.choice(left) if left else self.fresh()

    def leaf(self, name: str, *, needs: bool, positive: bool) -> NamedTensor:
        draw = (0.5, 1.5, 2.0, 3.0, 4.0) if positive else (-3.0, -2.0, -1.5, -0.5, 0.5, 1.5, 2.0)
        numbers = ", ".join(map(str, self.random.sample(draw, SIZE)))
        wanted = ", requires_grad=True" if needs else ""
        self.add(f"{name} = torch.tensor([{numbers}]{wanted})")
        memory = Memory(leaf=needs)
        self.leaves.append(memory)
        return self.hold(NamedTensor(name, Handle(memory), positive=positive))

    @property
    def latest(self) -> NamedTensor:
        """What the next operation is about."""
        return self.held[self._latest]

    @latest.setter
    def latest(self, named: NamedTensor) -> None:
        self._latest = named.name

    def rebind(self, named: NamedTensor, handle: Handle, *, positive: bool = False) -> NamedTensor:
        return self.hold(replace(named, handle=handle, positive=positive, adds_up=False))
