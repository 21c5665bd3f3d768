"""All rewrites. To add one: write it, and put it here where its likeness belongs."""

from __future__ import annotations

from collections.abc import Iterator

from inplace_tui.engine.blame.blame import Blame
from inplace_tui.engine.fixes import (
    aliases,
    contexts,
    copies,
    flags,
    functions,
    graphs,
    in_place,
    leaves,
    lists,
    modes,
    order,
    requests,
    rounds,
    states,
)
from inplace_tui.engine.fixes.fix import Candidate
from inplace_tui.engine.fixes.proposing import Rewrite
from inplace_tui.engine.fixes.scene import Scene
from inplace_tui.model.timeline import Timeline

REWRITES: tuple[Rewrite, ...] = (
    in_place.out_of_place,
    lists.new_list,
    flags.calls_out_of_place,
    flags.modules_out_of_place,
    aliases.copy_alias,
    aliases.copy_inference,
    modes.under_no_grad,
    order.ask_later,
    graphs.scalar_loss,
    leaves.leaf_kept,
    leaves.leaf_for_optimizer,
    requests.create_graph,
    states.detach_state,
    rounds.made_before,
    graphs.retain_graph,
    graphs.one_backward,
    requests.ask_for_gradient,
    requests.floating,
    requests.retain_grad,
    modes.detached,
    functions.custom_functions,
    contexts.plain_values,
    functions.hooks,
    functions.pack_copies,
    order.update_later,
    order.backward_first,
    copies.copy_saved,
    aliases.copy_first,
    copies.copy_passed,
    order.another_name,
    order.into_block,
    order.write_first,
    modes.in_other_mode,
    modes.without_context,
    requests.cast_arguments,
    requests.one_value_each,
    requests.said_explicitly,
    graphs.recompute,
)
"""What a reader would try first comes first: with little time, only those are run."""


def candidates(source: str, blame: Blame | None, timeline: Timeline) -> Iterator[Candidate]:
    """Yield edited programs that may be fixes, the likeliest first, each source once.

    Args:
        source: the program.
        blame: what its outcome comes from; with None only the line that raised is known.
        timeline: how it went.
    """
    try:
        scene = Scene(source, blame, timeline)
    except (SyntaxError, ValueError, RecursionError):
        return
    seen = {source}
    for rewrite in REWRITES:
        for candidate in rewrite(scene):
            if candidate.source not in seen:
                seen.add(candidate.source)
                yield candidate
