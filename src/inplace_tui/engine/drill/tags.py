"""What a drill's program is about."""

from __future__ import annotations

from inplace_tui.model.enums import StrEnum


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
