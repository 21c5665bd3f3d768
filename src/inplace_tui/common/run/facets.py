"""What can be seen of one tensor: one declaration a column.

A facet that only shows fields of `Tensor` needs nothing but its line here. How
`values` and `grad` are drawn and compared takes more than a field.
"""

from __future__ import annotations

import msgspec


class Facet(msgspec.Struct, frozen=True):
    """A column of the tensor table, and what a mask or a mark of change can name."""

    key: str
    fields: tuple[str, ...]
    """The fields of `Tensor` it is read from; the first is what a cell shows. None
    where it is read from the graph."""

    width: int
    """Cells of its column, without the gap."""

    priority: int
    """Columns with larger numbers go first when the table gets narrow."""

    claim: tuple[str, ...] = ()
    """The fields of a `TensorClaim` about it, if they have other names."""


FACETS = (
    Facet("names", ("names",), 8, 0),
    Facet("shape", ("shape", "stride", "layout", "device"), 6, 6),
    Facet("dtype", ("dtype",), 8, 10),
    Facet("version", ("version",), 5, 2),
    Facet("storage", ("storage", "offset"), 2, 3, claim=("shares", "apart")),
    Facet("base", ("base", "is_view"), 7, 9, claim=("view_of",)),
    Facet("is_leaf", ("is_leaf",), 4, 5),
    Facet("requires_grad", ("requires_grad", "is_inference"), 4, 4),
    Facet("retains_grad", ("retains_grad",), 4, 11),
    Facet("is_inference", ("is_inference",), 4, 12),
    Facet("data_ptr", ("data_ptr",), 14, 1),
    Facet("grad_fn", ("grad_fn",), 16, 7),
    Facet("grad", ("grad",), 12, 8),
    Facet("forecast", (), 6, 7),
    Facet("values", ("values", "storage", "offset", "stride", "shape", "dtype"), 14, 0),
)

FACET_OF = {name: facet.key for facet in FACETS for name in (facet.key, *facet.claim)}
"""Field of a `TensorClaim`, or key of a facet -> key of the facet that shows it."""
