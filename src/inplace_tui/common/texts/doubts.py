"""Why it can't be told whether a gradient is right, in a sentence each."""

from __future__ import annotations

from inplace_tui.common.local_text import T

DOUBTS = {
    "runs-differ": T("two runs of it delivered different gradients."),
    "ends-differ": T("another run of it did not reach the end ({detail})."),
    "retried": T("it lives on after a backward that raised {detail}."),
    "other-backwards": T("its replay ran other backwards than the program."),
    "replay-raised": T("its replay raised {detail}"),
    "too-many-backwards": T("it ran backward more often, or for longer, than can be compared"),
    "replay-too-slow": T("its replay took longer than {detail} s."),
    "replay-died": T("its replay died with exit code {detail}."),
    "replay-stopped": T("its replay was stopped."),
    "not-cloned": T("a saved tensor can't be cloned: {detail}"),
    "rounded-by-hooks": T(
        "hooks of its own give back other values than they were given, and its gradients are "
        "no more exact than that."
    ),
    "transformed": T(
        "it uses `torch.func`, which refuses the hooks with which a replay clones what is saved."
    ),
    "history-unreached": T(
        "line {line} writes what is computed with {detail} through `.data` or `detach()`, and "
        "no backward goes through that write."
    ),
    "update-cut-off": T(
        "line {line} takes the gradient of {detail} with `create_graph=True`, and no backward "
        "goes through that graph: {detail} moved along the gradient by a write that autograd did "
        "not record, and to the loss that came after, in backward no. {backward} of the run, that "
        "step is a constant."
    ),
    "written-behind": T(
        "line {line} ({op}) writes {detail} where autograd does not see it, and backward no. "
        "{backward} of the run brings {detail} a gradient from what was computed afterwards: it "
        "is handed on as if nothing had been written."
    ),
    "gradient-not-read": T("a gradient can't be read: {detail}"),
    "not-marked-dirty": T(
        "the Function {detail} writes its input without `mark_dirty`, "
        "so the graph lacks that write."
    ),
    "cells-shared": T(
        "{detail} wrote to elements that share memory, and the order of writing can't be told."
    ),
    "not-recorded": T("autograd does not record {detail}, and its replay could not do so either."),
}
"""By `Reason`. `{detail}` is a name, or torch's own words."""
