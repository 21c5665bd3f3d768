"""What the columns of the tensor table are called, and what they show."""

from __future__ import annotations

from typing import NamedTuple

from inplace_tui.common.local_text import LocalText, T


class FacetTexts(NamedTuple):
    """What one column says."""

    title: LocalText
    """Its head: torch's own word where there is room for it."""

    short: LocalText
    """Its head in a narrow table."""

    about: LocalText
    """One sentence for the help."""


FACET_TEXTS = {
    "names": FacetTexts(
        T("name"), T("name"), T("The shortest expression that reaches the tensor.")
    ),
    "shape": FacetTexts(T("shape"), T("shape"), T("The size of every dimension.")),
    "dtype": FacetTexts(T("dtype"), T("dtype"), T("The type of the elements.")),
    "version": FacetTexts(
        T("_version"),
        T("ver"),
        T("How often it was written in place; all views of a storage share the counter."),
    ),
    "storage": FacetTexts(
        T("storage"),
        T("st"),
        T("A letter for the block of memory: the same letter, the same elements."),
    ),
    "base": FacetTexts(T("view of"), T("view"), T("The tensor that it is a view of.")),
    "is_leaf": FacetTexts(
        T("is_leaf"),
        T("leaf"),
        T("Whether it was made by the program, not by a recorded operation."),
    ),
    "requires_grad": FacetTexts(
        T("requires_grad"), T("req"), T("Whether autograd records what is computed from it.")
    ),
    "retains_grad": FacetTexts(
        T("retains_grad"), T("keep"), T("Whether `.grad` is kept although it is not a leaf.")
    ),
    "is_inference": FacetTexts(
        T("inference"),
        T("inf"),
        T("Whether it was made in inference mode, without a version counter."),
    ),
    "data_ptr": FacetTexts(
        T("data_ptr"),
        T("data_ptr"),
        T("The address of the first element; reused as soon as a tensor dies."),
    ),
    "grad_fn": FacetTexts(
        T("grad_fn"), T("grad_fn"), T("The node of the backward graph that made it.")
    ),
    "grad": FacetTexts(T("grad"), T("grad"), T("What backward has accumulated in `.grad`.")),
    "forecast": FacetTexts(
        T("backward?"),
        T("bwd?"),
        T("What `t.sum().backward()` would do from here: run, raise, or be silently wrong."),
    ),
    "values": FacetTexts(T("values"), T("values"), T("The elements, row by row.")),
}
"""By the key of the facet."""
