"""All rewrites. A new one is a function in `rewrites/` and a line here, or a row in `swaps`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from inplace_tui.common.run.fix import Candidate
from inplace_tui.diagnosis.fixes.editing import EditError
from inplace_tui.diagnosis.fixes.fault_site import FaultSite
from inplace_tui.diagnosis.fixes.proposing import Rewrite
from inplace_tui.diagnosis.fixes.rewrites import (
    copies,
    functions,
    grad_modes,
    loops,
    order,
    out_of_place,
    swaps,
)

REWRITES: tuple[Rewrite, ...] = (
    out_of_place.out_of_place,
    out_of_place.flags_off,
    out_of_place.options_off,
    out_of_place.indices,
    loops.new_elements,
    grad_modes.under_no_grad,
    grad_modes.with_gradients,
    swaps.swapped,
    grad_modes.update_leaf_in_place,
    grad_modes.leaf_for_optimizer,
    order.another_order,
    order.backwards_together,
    order.forward_again,
    loops.carry_less,
    loops.make_in_each_iteration,
    loops.own_default,
    loops.start_anew,
    loops.not_kept,
    loops.backward_once,
    loops.retain_graph,
    grad_modes.require_grad,
    grad_modes.retain_grad,
    functions.custom_functions,
    functions.hooks,
    copies.copies,
    grad_modes.without_context,
    functions.without_statistics,
    functions.batched,
    loops.kept_in_local,
    order.recompute,
)
"""What a reader would try first comes first: with little time, only those are run."""


def candidates(site: FaultSite) -> Iterator[Candidate]:
    """Yield edited programs that may be fixes, the likeliest first.

    Each source comes once, or twice: as what was meant, and as the usual way that is not.
    """
    seen = {(site.text.source, usual) for usual in (False, True)}
    for rewrite in (grad_modes.reached,) if site.lost else REWRITES:
        with suppress(EditError):
            for proposal in rewrite(site):
                candidate = proposal(site)
                if candidate is not None and (candidate.source, candidate.usual) not in seen:
                    seen.add((candidate.source, candidate.usual))
                    yield candidate
