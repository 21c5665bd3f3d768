"""Why a cell is as it is, a sentence a fact; and what common operations save."""

from __future__ import annotations

from inplace_tui.common.local_text import T


class WhyTexts:
    """Headings of an explanation."""

    cell = T("{name} · {facet} · why?")
    column = T("What {facet} says")
    node = T("{name} · why?")
    hidden = T("▒▒ This would tell something about an open question. Answer it first.")
    gone = T("It is not there at this step.")
    where = T("line {line} (`{code}`)")
    somewhere = T("a line that was not recorded")


FACTS = {
    "made": T("{name} was made by {where}."),
    "same-object": T("{names} are names of one and the same tensor."),
    "form": T("Shape and dtype are those of what {where} computed."),
    "own-memory": T("It is not a view: it was not made as a window on another tensor."),
    "view": T(
        "{where} made it as a view of {base}: both have the same memory and version counter."
    ),
    "view-unnamed": T("{where} made it as a view of a tensor that has no name now."),
    "outdated": T(
        "Its base was written in place after this view was made. Torch will make its `grad_fn` "
        "anew when it is next used, so asking now would change the program."
    ),
    "not-asked": T(
        "Its base was written in place after this view was made. Whether torch has made its "
        "`grad_fn` anew since then is not seen on this machine, and asking would make it do so."
    ),
    "leaf-no-grad": T(
        "Every tensor that requires no gradient counts as a leaf: nothing recorded made it."
    ),
    "leaf-asked": T(
        "It requires grad because {where} asked for it, not because it was computed from "
        "something that does: so it is a leaf."
    ),
    "made-from": T(
        "{where} computed it from {names}, where a gradient is wanted, so autograd recorded "
        "{node}: it requires grad and is not a leaf."
    ),
    "made-by": T(
        "{where} computed it from something that requires grad, so autograd recorded {node}."
    ),
    "no-node-leaf": T("A leaf has no `grad_fn`: no recorded operation made it."),
    "no-node": T("No operation was recorded for it."),
    "asked-for": T("{where} asked for it."),
    "from-input": T("One input that requires grad is enough."),
    "inference": T(
        "{where} made it in inference mode, where nothing is recorded and no version counted."
    ),
    "not-inference": T("{where} made it outside of inference mode."),
    "no-derivative": T(
        "Its dtype is {dtype}: only floating point and complex tensors can require grad."
    ),
    "is-gradient": T(
        "It is a gradient: backward computes without recording, unless `create_graph=True`."
    ),
    "cut-off": T(
        "It shares its memory with {name}, which requires grad, but was cut out of the graph "
        "by {where}: `detach()` and `.data` do that."
    ),
    "no-grad": T("{where} ran with grad mode off, so nothing was recorded."),
    "nobody-asked": T(
        "{where} made it, and neither was a gradient asked for nor does anything it was "
        "computed from require one."
    ),
    "retains": T("`retain_grad()` was called by {where}: backward will keep what arrives here."),
    "leaf-keeps": T("A leaf that requires grad keeps its gradient anyway."),
    "does-not-retain": T(
        "Nobody called `retain_grad()` on it, so its gradient is handed on and forgotten."
    ),
    "grad-filled": T("A backward run by {where} filled it."),
    "grad-summed": T(
        "It is a sum: lines {lines} wrote to it. Backward adds to what is there, it does not "
        "replace it."
    ),
    "grad-not-required": T("It requires no gradient, so none is computed for it."),
    "grad-not-leaf": T(
        "It is not a leaf, and only leaves keep the gradient that arrives; call `retain_grad()` "
        "before backward to keep this one."
    ),
    "grad-emptied": T("{where} set it back to None."),
    "grad-no-backward": T("No backward has run since it was made."),
    "grad-not-reached": T(
        "The backward of {where} did not reach it: what it started from was not computed from "
        "this tensor, or the graph was cut between."
    ),
    "no-version": T("A tensor of inference mode has no version counter."),
    "never-written": T("No write that the counter sees has been made since it was created."),
    "wrote": T("{where} wrote to it with `{op}`: the version went from {before} to {after}."),
    "wrote-unnamed": T("{where} wrote to it: the version went from {before} to {after}."),
    "more-writes": T("And {count:more write|more writes}, the last by {where}."),
    "born-with": T(
        "It came out of {where} with version {version}: the operation wrote to its own result."
    ),
    "unseen-write": T(
        "Besides, {where} wrote to its memory with `{op}`, and the counter did not move."
    ),
    "unseen-write-unnamed": T(
        "Besides, {where} wrote to its memory, and the counter did not move."
    ),
    "last-write": T("The last to write to this memory was {where}, with `{op}`."),
    "last-write-unnamed": T("The last to write to this memory was {where}."),
    "values-made": T("They are what {where} made; nothing has written to them since."),
    "no-storage": T("It has no storage to share."),
    "alone": T("It is alone on storage {letter}, which {where} allocated."),
    "shares": T(
        "{name} has the same storage {letter} since {where}: a write to one shows in the other."
    ),
    "shares-apart": T(
        "{name} lies on the same storage {letter} since {where}, but on other elements: a "
        "write to one leaves the values of the other as they are."
    ),
    "node-leaf": T(
        "It adds the gradient that arrives to the `.grad` of {name}: here a backward ends."
    ),
    "node-made": T(
        "{where} computed something from {names}, and autograd recorded it as this node: "
        "backward comes through here on its way to {names}."
    ),
    "node-made-alone": T("{where} recorded it."),
    "slot-input": T("It saved its input {name}[{letter}] as `{slot}`, at version {version}."),
    "slot-output": T("It saved its own result {name}[{letter}] as `{slot}`, at version {version}."),
    "slot-compiled": T("It saved {name}[{letter}], at version {version}."),
    "slot-stale": T(
        "It saved {name}[{letter}] as `{slot}` at version {version}; it is at {now} now, "
        "so backward will refuse."
    ),
    "slot-detached": T(
        "It saved {name}[{letter}] as `{slot}`, and `detach_()` has cut that out of the graph."
    ),
    "slot-freed": T("What it saved as `{slot}` was freed by a backward."),
    "slot-hooked": T(
        "What it saved as `{slot}` was packed by a hook, and its version is not checked."
    ),
    "node-hides": T(
        "It stands for a write to a part of a tensor, and does not show what it saved."
    ),
    "node-saved-nothing": T("It saved nothing that a write could spoil."),
    "needed-by": T("A backward from {names} comes through here."),
    "needed-by-none": T("No tensor with a name leads here any more."),
}

_RESULT = T("Its derivative is written most simply with its own result, so it keeps that.")
_INPUT = T("Its derivative depends on the input, so it keeps that.")
_NOTHING = T("Its derivative depends on no values, so it keeps none.")
_SHAPE = T("It only moves elements: their places are all it needs to know.")

KEEP_RESULT = frozenset(
    {"Exp", "Exp2", "Expm1", "Sigmoid", "Tan", "Tanh", "Sqrt", "Rsqrt", "Reciprocal", "Relu"}
    | {"Softmax", "LogSoftmax", "Cumprod", "Prod", "Norm", "LinalgVectorNorm", "Max1", "Min1"}
    | {"Elu1", "Celu1", "LeakyRelu1", "RreluWithNoise1"}  # as `elu_`, not `elu`, makes it
)
"""Nodes that keep the result, as torch 2.13 shortens their names: of `MaxBackward1`, `Max1`."""

FORMULAS = {
    **dict.fromkeys(KEEP_RESULT, _RESULT),
    **dict.fromkeys(("Sin", "Cos", "Log", "Log2", "Log10", "Log1P", "Abs"), _INPUT),
    **dict.fromkeys(("Clamp", "Gelu", "Silu", "Elu", "LeakyRelu", "Erf", "Softplus"), _INPUT),
    **dict.fromkeys(("Add", "Sub", "Rsub", "Neg", "Sum", "Mean", "Clone", "Cat"), _NOTHING),
    **dict.fromkeys(("Stack", "Cumsum", "ToCopy", "Fill", "Zero", "Copy"), _NOTHING),
    **dict.fromkeys(("View", "Select", "Slice", "Unsqueeze", "Squeeze", "T", "Expand"), _SHAPE),
    **dict.fromkeys(("Transpose", "Permute", "Split", "Unbind", "Repeat", "AsStrided"), _SHAPE),
    "Relu": T("It keeps its result, to see where that is greater than 0: there gradients pass."),
    "Mul": T(
        "The gradient of one factor is the other factor, so it keeps each whose partner "
        "requires grad."
    ),
    "Div": T("The gradient of a quotient needs the divisor, and for the divisor the dividend too."),
    "Pow": T("The derivative of a power is the exponent times a lower power of the input."),
    **dict.fromkeys(
        ("Mm", "Bmm", "Mv", "Dot", "Addmm", "Baddbmm"),
        T(
            "The gradient of one matrix is a product with the other, so it keeps both that "
            "are needed."
        ),
    ),
    **dict.fromkeys(
        ("Max", "Min", "Sort", "Topk", "Gather", "Index", "IndexSelect", "Embedding"),
        T("It keeps indices: they say to which elements the gradient belongs."),
    ),
    "Where": T("It keeps the condition: it says which branch a gradient goes to."),
    "Convolution": T(
        "The gradient of the weight needs the input, and that of the input the weight."
    ),
    "MseLoss": T("The gradient is the difference of input and target, so it keeps both."),
}
"""By such a name, or that without its number: what an operation keeps, and what for."""
