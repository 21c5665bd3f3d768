"""What the words and numbers of torch's messages mean."""

from __future__ import annotations

from inplace_tui.common.local_text import T

PARTS = {
    "on-gpu": T("It lies on a GPU."),
    "tensor": T(
        "The tensor that was changed holds {dtype} values and has the shape [{shape}]. "
        "Look for one of yours with this shape."
    ),
    "scalar-tensor": T(
        "The tensor that was changed holds one {dtype} value: it has no dimensions."
    ),
    "weight": T(
        "It is output {output} of a transposing view, not something you named: mostly the "
        "transposed weight of an `nn.Linear`. Then an optimizer's `step()` changed the weight "
        "between the forward and this backward."
    ),
    "produced": T(
        "The operation {producer} made it, as its output number {output} (counted from 0). "
        "Without these words it would be a leaf: a parameter or an input."
    ),
    "now": T("It and all its views have been written in place {now} times by now."),
    "now-one": T("It or one of its views has been written in place once by now."),
    "expected-one": T(
        "When it was saved for backward, that number was {expected}: one write came after, "
        "and it is at fault."
    ),
    "expected": T(
        "When it was saved for backward, that number was {expected}: {count} writes came after, "
        "and the first of them is at fault."
    ),
    "anomaly": T(
        "Anomaly mode names the line that saved the tensor, not the one that changed it: "
        "`inplace-tui explain FILE` names both."
    ),
    "view": T(
        "The tensor is output {output} (counted from 0) of the operation {producer}, "
        "and shares its memory with the other outputs."
    ),
    "element": T(
        "Backward was called on a list of tensors, and it is number {index} of it, counted "
        "from 0. For `y.backward()` that is `y` itself."
    ),
    "retain": T(
        "It keeps the saved tensors for another backward. If one was changed in between "
        "(by `step()`, say), the next error is about its version."
    ),
    "written-shape": T(
        "The tensor that was to be written has the shape [{shape}], which a write can't change."
    ),
    "result-shape": T("The result would have the shape [{shape}]."),
    "expanded-size": T("Along this dimension the written tensor has {size} elements."),
    "existing-size": T("Along it the value that is written has {size}: only 1 could be repeated."),
    "dimension": T("The dimension number {index}, counted from 0."),
    "target-sizes": T("The shape of what is written to: [{shape}]."),
    "tensor-sizes": T("The shape of the value: [{shape}]."),
    "value-shape": T("The value on the right has the shape [{shape}]."),
    "index-shape": T("The part that the index selects has the shape [{shape}]."),
    "result-type": T("The result would have the dtype {type}."),
    "output-type": T(
        "The tensor that was to be written has the dtype {type}, which a write can't change."
    ),
    "derivative": T("The operation, and the argument, that torch can't differentiate: {op}."),
    "nan": T("The backward of {node} computed NaN for its input number {index}, counted from 0."),
    "gradient-index": T("It is the gradient for input number {index}, counted from 0."),
    "got-shape": T("The gradient has the shape [{shape}]."),
    "expected-shape": T("The tensor it belongs to has the shape [{shape}]."),
    "argument-type": T(
        "Argument number {index}, counted from 0, is of type {type} and not a tensor: "
        "keep it on `ctx` as an attribute."
    ),
    "dimensions": T("The value has {count} dimensions: it is not a single number."),
    "holders": T("{count} objects hold the tensor, a graph's nodes among them."),
}
"""For each kind of part of a message: what it means."""


class MessageTexts:
    """The page about a message."""

    unknown = T(
        "This is no message of autograd's that is known here. "
        "`inplace-tui explain FILE` runs the program and looks for itself."
    )
    means = T("What it means")
    parts = T("Number by number")
    file = T(
        "`inplace-tui explain FILE` runs your program, names the line at fault, and tries fixes."
    )
