"""What holds of a kind of rewrite wherever it is made, for the judge and for the order of fixes."""

from __future__ import annotations


def _kinds(text: str) -> frozenset[str]:
    return frozenset(text.split())


FLAGS = _kinds("not_in_place asked_in_place none_in_place option_off")
"""They have modules compute out of place, or leave out what changes no value."""

STAYS_IN_PLACE = FLAGS | _kinds(
    "out_of_place only_here as_method masked_fill where copy_first new_elements"
)
"""They rewrite the statement that writes: whoever else held what it wrote keeps the old values."""

CUTS = _kinds("detach own_default detach_before detach_state detach_itself")
"""Something is no longer recorded by autograd."""

BETWEEN_ROUNDS = _kinds("detach_state detach_itself")
"""They give up the gradient through all rounds; of a graph that was freed it is not known."""

OWN_TRUTH = BETWEEN_ROUNDS | _kinds(
    "backward_once one_backward not_kept anew_each_round start_anew own_default detach_before"
    " return_gradient"
)
"""The original's gradients are no measure for them: they run one backward for two, return from a
hook what it wrote, start over once a graph was freed, or end a gradient with its round."""

COMPUTED_AGAIN = _kinds("not_kept anew_each_round")
"""They compute a graph again wherever it was used up."""

COPIES = _kinds("copy_first copy_saved copy_weights copy_result copy_passed copy_alias")
"""They keep the write, and give somebody else what was there before."""

PENALTIES = {"copy_parameters": 2, "copy_weights": 2, "retain_graph": 1}
"""A reviewer would ask about them: copied weights, graphs kept. They come last."""
