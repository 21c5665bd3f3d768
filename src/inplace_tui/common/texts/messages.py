"""What the words and numbers of torch's messages mean."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText

PARTS = {
    "on-gpu": LocalText(en="It lies on a GPU.", zh="它在 GPU 上。"),
    "tensor": LocalText(
        en="The tensor that was changed holds {dtype} values and has the shape [{shape}]. "
        "Look for one of yours with this shape.",
        zh="被改动的张量类型是 {dtype}，形状是 [{shape}]。在程序里找形状相同的张量。",
    ),
    "scalar-tensor": LocalText(
        en="The tensor that was changed holds one {dtype} value: it has no dimensions.",
        zh="被改动的张量只有一个 {dtype} 数值：它是零维的。",
    ),
    "weight": LocalText(
        en="It is output {output} of a transposing view, not something you named: mostly the "
        "transposed weight of an `nn.Linear`. Then an optimizer's `step()` changed the weight "
        "between the forward and this backward.",
        zh="它是一个转置视图的第 {output} 个输出，不是你命名的张量：多半是 `nn.Linear` 的转置权重。"
        "也就是说，在前向和这次反向之间，优化器的 `step()` 改了权重。",
    ),
    "produced": LocalText(
        en="The operation {producer} made it, as its output number {output} (counted from 0). "
        "Without these words it would be a leaf: a parameter or an input.",
        zh="它是运算 {producer} 的第 {output} 个输出（从 0 数起）。"
        "若没有这几个词，它就是叶子张量：参数或输入。",
    ),
    "now": LocalText(
        en="It and all its views have been written in place {now} times by now.",
        zh="到现在为止，它（连同它的所有视图）被原地写过 {now} 次。",
    ),
    "now-one": LocalText(
        en="It or one of its views has been written in place once by now.",
        zh="到现在为止，它（或它的某个视图）被原地写过 1 次。",
    ),
    "expected-one": LocalText(
        en="When it was saved for backward, that number was {expected}: one write came after, "
        "and it is at fault.",
        zh="为反向传播保存它时，这个数是 {expected}：之后又写了 1 次，问题就出在那一次。",
    ),
    "expected": LocalText(
        en="When it was saved for backward, that number was {expected}: {count} writes came after, "
        "and the first of them is at fault.",
        zh="为反向传播保存它时，这个数是 {expected}：之后又写了 {count} 次，问题出在其中第一次。",
    ),
    "anomaly": LocalText(
        en="Anomaly mode names the line that saved the tensor, not the one that changed it: "
        "`inplace-tui explain FILE` names both.",
        zh="异常检测模式指出的是保存张量的那一行，而不是改动它的那一行："
        "`inplace-tui explain FILE` 两行都会指出。",
    ),
    "view": LocalText(
        en="The tensor is output {output} (counted from 0) of the operation {producer}, "
        "and shares its memory with the other outputs.",
        zh="这个张量是运算 {producer} 的第 {output} 个输出（从 0 数起），与其他输出共享内存。",
    ),
    "element": LocalText(
        en="Backward was called on a list of tensors, and it is number {index} of it, counted "
        "from 0. For `y.backward()` that is `y` itself.",
        zh="backward 接受一列张量，这里指第 {index} 个（从 0 数起）。"
        "对 `y.backward()` 来说就是 `y` 本身。",
    ),
    "retain": LocalText(
        en="It keeps the saved tensors for another backward. If one was changed in between "
        "(by `step()`, say), the next error is about its version.",
        zh="它会留住保存的张量供下次反向使用。但如果其间张量被改过（例如 `step()`），"
        "接下来报的就是版本号错误。",
    ),
    "written-shape": LocalText(
        en="The tensor that was to be written has the shape [{shape}], which a write can't change.",
        zh="要写入的张量形状是 [{shape}]，原地写入不能改变形状。",
    ),
    "result-shape": LocalText(
        en="The result would have the shape [{shape}].", zh="计算结果的形状会是 [{shape}]。"
    ),
    "expanded-size": LocalText(
        en="Along this dimension the written tensor has {size} elements.",
        zh="在这一维上，被写的张量有 {size} 个元素。",
    ),
    "existing-size": LocalText(
        en="Along it the value that is written has {size}: only 1 could be repeated.",
        zh="在这一维上，写入的值有 {size} 个元素：只有 1 才能广播。",
    ),
    "dimension": LocalText(
        en="The dimension number {index}, counted from 0.", zh="第 {index} 维（从 0 数起）。"
    ),
    "target-sizes": LocalText(
        en="The shape of what is written to: [{shape}].", zh="被写的部分形状是 [{shape}]。"
    ),
    "tensor-sizes": LocalText(
        en="The shape of the value: [{shape}].", zh="写入的值形状是 [{shape}]。"
    ),
    "value-shape": LocalText(
        en="The value on the right has the shape [{shape}].", zh="等号右边的值形状是 [{shape}]。"
    ),
    "index-shape": LocalText(
        en="The part that the index selects has the shape [{shape}].",
        zh="下标选出的部分形状是 [{shape}]。",
    ),
    "result-type": LocalText(
        en="The result would have the dtype {type}.", zh="计算结果的 dtype 会是 {type}。"
    ),
    "output-type": LocalText(
        en="The tensor that was to be written has the dtype {type}, which a write can't change.",
        zh="要写入的张量 dtype 是 {type}，原地写入不能改变 dtype。",
    ),
    "derivative": LocalText(
        en="The operation, and the argument, that torch can't differentiate: {op}.",
        zh="torch 不会求导的运算（及参数）：{op}。",
    ),
    "nan": LocalText(
        en="The backward of {node} computed NaN for its input number {index}, counted from 0.",
        zh="{node} 的反向传播为第 {index} 个输入（从 0 数起）算出了 NaN。",
    ),
    "gradient-index": LocalText(
        en="It is the gradient for input number {index}, counted from 0.",
        zh="这是给第 {index} 个输入（从 0 数起）的梯度。",
    ),
    "got-shape": LocalText(
        en="The gradient has the shape [{shape}].", zh="这个梯度的形状是 [{shape}]。"
    ),
    "expected-shape": LocalText(
        en="The tensor it belongs to has the shape [{shape}].", zh="它所属张量的形状是 [{shape}]。"
    ),
    "argument-type": LocalText(
        en="Argument number {index}, counted from 0, is of type {type} and not a tensor: "
        "keep it on `ctx` as an attribute.",
        zh="第 {index} 个参数（从 0 数起）的类型是 {type}，不是张量：请存为 `ctx` 的属性。",
    ),
    "dimensions": LocalText(
        en="The value has {count} dimensions: it is not a single number.",
        zh="这个值有 {count} 维：它不是单个数。",
    ),
    "holders": LocalText(
        en="{count} objects hold the tensor, a graph's nodes among them.",
        zh="有 {count} 个对象持有这个张量，其中包括计算图的节点。",
    ),
}
"""For each kind of part of a message: what it means."""


class MessageTexts:
    """The page about a message."""

    unknown = LocalText(
        en="This is no message of autograd's that is known here. "
        "`inplace-tui explain FILE` runs the program and looks for itself.",
        zh="这里不认识这条信息，它似乎与 autograd 无关。"
        "可以用 `inplace-tui explain FILE` 直接运行程序来检查。",
    )
    means = LocalText(en="What it means", zh="含义")
    parts = LocalText(en="Number by number", zh="逐个数字解释")
    file = LocalText(
        en="`inplace-tui explain FILE` runs your program, names the line at fault, "
        "and tries fixes.",
        zh="`inplace-tui explain FILE` 会运行你的程序，指出出错的一行，并尝试改法。",
    )
