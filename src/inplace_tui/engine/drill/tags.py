"""What a drill's program is about."""

from __future__ import annotations

from enum import StrEnum


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
    Tag.IN_PLACE: ("in-place-op", "version-counter"),
    Tag.SAVED_OUTPUT: ("saved-output",),
    Tag.SAVED_INPUT: ("saved-input",),
    Tag.LEAF: ("leaf-write-refused", "leaf"),
    Tag.NO_GRAD: ("no-grad-update", "no-grad-counts"),
    Tag.DATA: ("data-counter", "data-attribute"),
    Tag.DETACH: ("detach-alias", "detach-safety"),
    Tag.NUMPY: ("silent-gradient",),
    Tag.VIEW: ("storage",),
    Tag.ITEM: ("version-counter",),
    Tag.CLONE: ("detach-clone",),
    Tag.REBINDING: ("rebinding", "augmented-assignment"),
    Tag.OPTIMIZER: ("training-step",),
    Tag.TWICE: ("saved-tensor",),
    Tag.LAYER: ("hidden-in-place", "saved-output"),
}
"""The concepts of the course behind a tag, the nearest first."""
