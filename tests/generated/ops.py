"""Which operations there are, and inputs that they can be asked of."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_ROWS = {
    "real": "[[0.4, -0.7, 0.9], [-0.3, 0.6, -0.8]]",
    "positive": "[[0.4, 0.7, 0.9], [0.3, 0.6, 0.8]]",
    "unit": "[[0.4, -0.7, 0.9], [-0.3, 0.6, -0.8]]",
    "fraction": "[[0.4, 0.7, 0.9], [0.3, 0.6, 0.8]]",
    "fixed": "[[0.4, 0.7, 0.9], [0.3, 0.6, 0.8]]",
    "above": "[[1.4, 1.7, 1.9], [1.3, 1.6, 1.8]]",
    "square": "[[1.4, 0.7, 0.9], [0.3, 2.6, 0.8], [0.2, 0.1, 1.8]]",
    "complex": "[[0.4 + 1j, 0.7, 0.9 - 0.5j], [0.3j, 0.6, 0.8]]",
    "index": "[[0, 1, 0], [1, 1, 0]]",
    "mask": "[[True, False, True], [False, True, True]]",
}
"""What a tensor holds, by the word for it."""

_CONSTANT = frozenset({"fixed", "index", "mask"})
_DISCRETE = frozenset({"index", "mask"})


@dataclass(frozen=True)
class Operand:
    """What goes into an operation."""

    holds: str
    """A word of `ops.txt`."""

    @property
    def literal(self) -> str:
        """The numbers, as Python writes them."""
        return _ROWS[self.holds]

    @property
    def differentiable(self) -> bool:
        """Whether a gradient for it makes sense."""
        return self.holds not in _CONSTANT

    @property
    def kind(self) -> str:
        """What may be written into it: `real`, `complex` or `discrete`."""
        if self.holds in _DISCRETE:
            return "discrete"
        return "complex" if self.holds == "complex" else "real"


@dataclass(frozen=True)
class Operation:
    """One differentiable operation."""

    expression: str
    """With `{x}` and, if there is another operand, `{y}`."""

    x: Operand
    y: Operand | None
    is_scalar: bool
    """Its result has no dimension."""

    is_complex: bool
    """Its result is complex."""

    @property
    def name(self) -> str:
        """The expression, and what it is asked of."""
        held = [operand.holds for operand in (self.x, self.y) if operand is not None]
        return f"{self.expression} of {', '.join(held)}"


def operations() -> list[Operation]:
    """Return every operation of the table, in its order."""
    found: list[Operation] = []
    text = Path(__file__).with_name("ops.txt").read_text(encoding="utf-8")
    for section in text.split("\n[")[1:]:
        head, _, body = section.partition("]\n")
        result, *holds = head.split()
        x, y = [*map(Operand, holds), None][:2]
        assert x is not None
        for expression in body.strip().splitlines():
            found.append(
                Operation(expression, x, y, result.startswith("one"), result.endswith("complex"))
            )
    return found
