"""A program while it is made up: its lines, its names, what it is about, a sketch of its graph."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from inplace_tui.common.enums import StrEnum
from inplace_tui.tutorial.activity.drill.sketch import Handle, Memory, Sketch


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
        left = [name for name in names if not self._has(name)]
        return self.random.choice(left) if left else self.fresh()

    def _has(self, name: str) -> bool:
        return name in self.held or any(line.startswith(f"{name} =") for line in self.lines)

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

    def choose(self, *, of: list[NamedTensor] | None = None) -> NamedTensor:
        return self.random.choice(list(self.held.values()) if of is None else of)
