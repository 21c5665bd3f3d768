"""What a row of the tensor table depends on: while that stays, the row of the step before does."""

from __future__ import annotations

from collections.abc import Collection

from inplace_tui.engine.session.view import Mask, View
from inplace_tui.engine.state.diff import Diff
from inplace_tui.model.snapshot import Tensor
from inplace_tui.present.masking import is_stale


def basis_of_all(view: View, facets: Collection[str], common: object) -> object:
    """Return what all rows depend on; None where that is more than can be compared.

    Args:
        view: the moment.
        facets: keys of the columns.
        common: what the rows have in common besides.
    """
    if view.mask != Mask() or "forecast" in facets:
        return None
    return view.timeline, view.watched, common


def basis(tensor: Tensor, view: View, changes: Diff) -> object:
    """Return what the row of a tensor depends on, forecasts and questions apart.

    Args:
        tensor: whose row it is.
        view: the moment.
        changes: what is marked in the rows.
    """
    shot = view.snapshot
    grad = shot.tensors.get(-1 if tensor.grad is None else tensor.grad)
    return (
        tensor,
        view.previous.tensors.get(tensor.id),
        tensor.id in changes.new,
        changes.changed.get(tensor.id),
        shot.tensors.get(-1 if tensor.base is None else tensor.base),
        shot.nodes.get(tensor.grad_fn) if isinstance(tensor.grad_fn, int) else None,
        shot.storages.get(-1 if tensor.storage is None else tensor.storage),
        is_stale(view, tensor.storage),
        grad,
        None if grad is None else shot.storages.get(-1 if grad.storage is None else grad.storage),
    )
