"""What each fix does, and what it changes."""

from __future__ import annotations

from inplace_tui.common.local_text import T

TITLES = {
    "out_of_place": T("Compute a new `{name}` instead of writing the old one in place"),
    "only_here": T("Compute it out of place and leave `{name}` as it is"),
    "as_method": T("Write the tensor `{name}` itself: its container takes no new element"),
    "masked_fill": T("Fill the masked elements of a new `{name}`"),
    "not_in_place": T("Let `{name}` (line {line}) return a new tensor: no `inplace=True`"),
    "none_in_place": T("Let every module return a new tensor: no `inplace=True`"),
    "option_off": T(
        "Make `{name}` with `{option}=False`: here it writes only what is there already"
    ),
    "copy_first": T("Write into a copy of `{name}`"),
    "copy_saved": T("Give the op that saves `{name}` a copy of its own"),
    "copy_weights": T(
        "Give the op that saves the parameter `{name}` a copy: an update can't reach it"
    ),
    "copy_result": T("Take a copy of the result `{name}`: the op keeps what it saved"),
    "copy_parameters": T("Run `{name}` with copies of its parameters: an update can't reach them"),
    "copy_passed": T("Pass a copy of `{name}`"),
    "copy_alias": T("Make `{name}` a copy that shares no memory"),
    "copy_detached": T("Make `{name}` a copy: what it was detached from keeps its values"),
    "indices": T("Loop over indices of `{name}`: each `{name}[i]` is a view of its own"),
    "new_elements": T("Compute new elements of `{name}` instead of writing the old ones in place"),
    "under_no_grad": T("Write under `torch.no_grad()`: autograd does not record it"),
    "with_gradients": T("Switch gradients on for this call: `torch.enable_grad()`"),
    "own_leaf": T("Switch gradients on, and go back to a copy of `{name}`"),
    "asked_in_place": T("Ask `{name}` for `inplace=False`, so that its modules return new tensors"),
    "own_default": T("Make `{name}` in each call: a default argument lives on between calls"),
    "other_mode": T("Use `{new}` instead of `{old}`"),
    "without_context": T("Leave out the `{name}` around it"),
    "detach": T("Detach `{name}`: the gradient ends there"),
    "detach_array": T("Detach `{name}` first: an array has no graph"),
    "clone_instead": T("Clone the tensor: a copy with its graph"),
    "number_kept": T("Keep the number `{name}.item()`, not the tensor with its graph"),
    "retain_grad": T("Ask `{name}`, which is not a leaf, to keep its gradient"),
    "ask": T("Let `{name}` require grad"),
    "attached": T("Leave `{name}` in the graph"),
    "reached": T("Leave `{name}` in the graph: gradients go back through it"),
    "reached_in_block": T("Leave out `{name}`: gradients go back through what it computes"),
    "floats": T("Make `{name}` a tensor of floats: integers have no gradient"),
    "cast": T("Give `{name}` the dtype of what it is written to"),
    "scatter": T("Give each masked element a value of its own: `masked_scatter`"),
    "randomness": T("Say how `vmap` treats random numbers"),
    "coalesce": T("Coalesce `{name}` first"),
    "no_statistics": T(
        "Let the batch norms of `{name}` keep no running statistics, as torch advises"
    ),
    "batched": T("Make `{name}` from `{other}`, so that it is batched, too"),
    "local": T("Keep `{name}` in a local variable: the module holds no graph then"),
    "not_reentrant": T("Checkpoint with `use_reentrant=False`"),
    "dense": T("Use dense gradients"),
    "shallow_copy": T("Copy `{name}` alone, not the tensors in it: `copy.copy`"),
    "backward_first": T("Run this backward before the write of line {line}"),
    "write_later": T("Write after the backward of line {line}, which still needs the old values"),
    "update_later": T("Do this whole update after line {line}: backward and step"),
    "forward_again": T("Compute `{name}` again after the step of line {line}"),
    "detach_fake": T(
        "Detach `{detached}` for the first loss, and compute `{name}` again after the step of "
        "line {line}"
    ),
    "step_after": T("Step after the backward of line {line}, with the gradient that it delivers"),
    "steps_last": T("Run both backwards before both steps"),
    "joint_loss": T("One backward from the sum of `{one}` and `{other}`, before both steps"),
    "where": T("Choose between old and new values: `torch.where`"),
    "backward_once": T("Leave out `{name}`: the backward before it went through the same loss"),
    "retain_graph": T("Keep the graph for the next backward: `retain_graph=True`"),
    "one_backward": T("One backward from the sum of `{one}` and `{other}`"),
    "recompute": T("Compute the loss again before the second backward"),
    "not_kept": T("Compute `{name}` each time, and keep no graph from one time to the next"),
    "create_graph": T("Record the first backward too: `create_graph=True`"),
    "anew_each_round": T("Compute `{name}` again in each iteration"),
    "start_anew": T("Start over each time: `{name}`"),
    "detach_before": T(
        "Detach `{name}`, which is made once before the loop: it becomes a constant"
    ),
    "detach_state": T("Detach `{name}` from the graph of the previous iteration"),
    "detach_itself": T("Detach `{name}` itself: `{name}.detach()` alone changes nothing"),
    "sum": T("Sum `{name}` to a single number"),
    "leaf_updated": T("Write into `{name}` instead of giving the name to a new tensor"),
    "new_leaf": T("Detach `{name}` and ask for its gradient: a new leaf"),
    "ctx_attribute": T("Keep `{name}`, which is not a tensor, as an attribute of `ctx`"),
    "mark_dirty": T("Tell autograd that `{name}` was written, and return it"),
    "return_gradient": T("Return a new gradient instead of writing `{name}`"),
    "return_output": T("Return a new output from the hook instead of writing `{name}`"),
}


_TRUNCATED = T("gradients stop at the previous iteration (truncated backpropagation through time)")

_REACHED = T("parameters that had no gradient have one, and are updated")

COMPUTES = {
    "forward_again": T("the second loss is that of the updated parameters"),
    "detach_fake": T(
        "the first loss sends no gradient into what made its input, and the second loss is that "
        "of the updated parameters"
    ),
    "step_after": T(
        "each step takes the gradient of its own round, and the next forward the updated parameters"
    ),
    "steps_last": T(
        "both losses are those of the old parameters; parameters that both reach get the sum of "
        "their gradients"
    ),
    "joint_loss": T(
        "there is one backward, from the sum of the losses, and shared parameters get the sum "
        "of the gradients"
    ),
    "reached": _REACHED,
    "reached_in_block": _REACHED,
    "copy_detached": T(
        "what follows reads the values from before the write in the tensor that was detached"
    ),
    "detach_state": _TRUNCATED,
    "detach_itself": _TRUNCATED,
    "backward_once": T("the gradient is that of one backward, not of two"),
    "own_default": T("no call continues from the previous one's state"),
    "detach_before": T("what was made before the loop counts as a constant"),
    "anew_each_round": T("each iteration computes it from its own values"),
    "start_anew": T("no iteration continues from the previous one's state"),
}
"""What the usual way computes instead, by its kind."""


class FixStepTexts:
    """A fix that takes several edits."""

    on_line = T("{title} (line {line})")
    on_lines = T("{title} (lines {lines} and {last})")
    then = T("{one}; {other}")


class FixEffectTexts:
    """What a fix changes."""

    value = T("`{name}` is {now} where the original had {before}")
    loss = T("backward starts from `{name}` = {now} where the original had {before}")
    drawn_anew = T("{meaning}, for newly drawn random numbers")
    other = T("it computes something else")
    gradient = T(
        "{meaning}: at the backward of line {line} the gradient of `{name}` is {now}, with the "
        "values that were saved it would be {before}"
    )
    more = T("{changes}; and {count} more")
    both = T("{one}; {other}")
    output = T("it prints other text")


class FixListTexts:
    """What the screens say around them."""

    usual = T("the usual way; it computes something else")

    head = T("Fixes that were run, and work")
    head_key = T("Fixes that were run, and work ({keys[fixes]}: see them whole, open one)")
    looking = T("looking for fixes…")
    trying = T("looking for fixes… ({tried} of {total} tried)")
    none_passed = T(
        "No rewrite passed: {tried:was|were} run, and none does what was meant and has right "
        "gradients."
    )
    nothing_to_try = T("No rewrite is known for this failure.")
    no_view = T(
        "No rewrite was tried: here a run could change your files. `inplace-tui explain "
        "--in-place` tries them anyway; `inplace-tui doctor` says why."
    )
    cut_short = T("The time for trying was over: {tried} of {total} rewrites were run.")
    moves = T("line {old} moves to line {new}: {code}")
    more = T("… {count:more changed line|more changed lines}")
