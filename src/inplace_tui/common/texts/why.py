"""Why a cell is as it is, a sentence a fact; and what common operations save."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText as T


class WhyTexts:
    """Headings of an explanation."""

    cell = T(en="{name} · {facet} · why?", zh="{name} · {facet} · 为什么？")
    column = T(en="What {facet} says", zh="{facet} 这一列")
    node = T(en="{name} · why?", zh="{name} · 为什么？")
    hidden = T(
        en="▒▒ This would tell something about an open question. Answer it first.",
        zh="▒▒ 这会透露尚未回答的问题。请先作答。",
    )
    gone = T(en="It is not there at this step.", zh="这一步它不存在。")
    where = T(en="line {line} (`{code}`)", zh="第 {line} 行（`{code}`）")
    somewhere = T(en="a line that was not recorded", zh="没有记录到的某一行")


FACTS = {
    "made": T(en="{name} was made by {where}.", zh="{name} 由{where}创建。"),
    "same-object": T(
        en="{names} are names of one and the same tensor.", zh="{names} 是同一个张量的不同名字。"
    ),
    "form": T(
        en="Shape and dtype are those of what {where} computed.",
        zh="形状和 dtype 来自{where}的结果。",
    ),
    "own-memory": T(
        en="It is not a view: it was not made as a window on another tensor.",
        zh="它不是视图：创建它的操作没有返回别的张量的视图。",
    ),
    "view": T(
        en="{where} made it as a view of {base}: both have the same memory and version counter.",
        zh="{where}把它创建为 {base} 的视图：两者共享内存和版本号。",
    ),
    "view-unnamed": T(
        en="{where} made it as a view of a tensor that has no name now.",
        zh="{where}把它创建为某个现已无名的张量的视图。",
    ),
    "outdated": T(
        en="Its base was written in place after this view was made. Torch will make its `grad_fn` "
        "anew when it is next used, so asking now would change the program.",
        zh="这个视图创建之后，它的基张量被原地修改过。torch 会在下次使用时重建它的 `grad_fn`，"
        "所以现在读取会改变程序。",
    ),
    "leaf-no-grad": T(
        en="Every tensor that requires no gradient counts as a leaf: nothing recorded made it.",
        zh="不需要梯度的张量一律算作叶子：没有被记录的运算产生过它。",
    ),
    "leaf-asked": T(
        en="It requires grad because {where} asked for it, not because it was computed from "
        "something that does: so it is a leaf.",
        zh="它需要梯度，是因为{where}打开了 `requires_grad`，而不是由需要梯度的张量算出来的："
        "所以它是叶子。",
    ),
    "made-from": T(
        en="{where} computed it from {names}, where a gradient is wanted, so autograd recorded "
        "{node}: it requires grad and is not a leaf.",
        zh="{where}由需要梯度的 {names} 计算出它，autograd 记录下 {node}："
        "所以它需要梯度，且不是叶子。",
    ),
    "made-by": T(
        en="{where} computed it from something that requires grad, so autograd recorded {node}.",
        zh="{where}由需要梯度的张量计算出它，autograd 记录下 {node}。",
    ),
    "no-node-leaf": T(
        en="A leaf has no `grad_fn`: no recorded operation made it.",
        zh="叶子没有 `grad_fn`：它不是由被记录的运算产生的。",
    ),
    "no-node": T(en="No operation was recorded for it.", zh="没有为它记录任何运算。"),
    "asked-for": T(en="{where} asked for it.", zh="{where}打开了它的 `requires_grad`。"),
    "from-input": T(
        en="One input that requires grad is enough.", zh="只要有一个输入需要梯度就足够了。"
    ),
    "inference": T(
        en="{where} made it in inference mode, where nothing is recorded and no version counted.",
        zh="{where}在推理模式中创建了它：那里既不记录运算，也不计版本。",
    ),
    "not-inference": T(
        en="{where} made it outside of inference mode.", zh="{where}在推理模式之外创建了它。"
    ),
    "no-derivative": T(
        en="Its dtype is {dtype}: only floating point and complex tensors can require grad.",
        zh="它的 dtype 是 {dtype}：只有浮点和复数张量才能需要梯度。",
    ),
    "is-gradient": T(
        en="It is a gradient: backward computes without recording, unless `create_graph=True`.",
        zh="它是梯度：除非 `create_graph=True`，反向传播本身不被记录。",
    ),
    "cut-off": T(
        en="It shares its memory with {name}, which requires grad, but was cut out of the graph "
        "by {where}: `detach()` and `.data` do that.",
        zh="它与需要梯度的 {name} 共享内存，但{where}把它从计算图中切了出来：`detach()` 和 `.data` "
        "就是这样。",
    ),
    "no-grad": T(
        en="{where} ran with grad mode off, so nothing was recorded.",
        zh="{where}运行时梯度模式已关闭，所以没有记录。",
    ),
    "nobody-asked": T(
        en="{where} made it, and neither was a gradient asked for nor does anything it was "
        "computed from require one.",
        zh="{where}创建了它：既没有打开 `requires_grad`，它的来源也都不需要梯度。",
    ),
    "retains": T(
        en="`retain_grad()` was called by {where}: backward will keep what arrives here.",
        zh="{where}调用了 `retain_grad()`：反向传播会保留到达这里的梯度。",
    ),
    "leaf-keeps": T(
        en="A leaf that requires grad keeps its gradient anyway.",
        zh="需要梯度的叶子本来就会保留梯度。",
    ),
    "does-not-retain": T(
        en="Nobody called `retain_grad()` on it, so its gradient is handed on and forgotten.",
        zh="没有对它调用 `retain_grad()`，所以它的梯度传下去之后就丢弃了。",
    ),
    "grad-filled": T(en="A backward run by {where} filled it.", zh="由{where}的反向传播填入。"),
    "grad-summed": T(
        en="It is a sum: lines {lines} wrote to it. Backward adds to what is there, it does not "
        "replace it.",
        zh="它是累加的结果：第 {lines} 行都写过它。反向传播是累加，而不是替换。",
    ),
    "grad-not-required": T(
        en="It requires no gradient, so none is computed for it.",
        zh="它不需要梯度，所以不会为它计算。",
    ),
    "grad-not-leaf": T(
        en="It is not a leaf, and only leaves keep the gradient that arrives; call `retain_grad()` "
        "before backward to keep this one.",
        zh="它不是叶子，而只有叶子会保留到达的梯度；要保留，请在反向传播前调用 `retain_grad()`。",
    ),
    "grad-emptied": T(en="{where} set it back to None.", zh="{where}把它设回了 None。"),
    "grad-no-backward": T(
        en="No backward has run since it was made.", zh="自它创建以来还没有运行过反向传播。"
    ),
    "grad-not-reached": T(
        en="The backward of {where} did not reach it: what it started from was not computed from "
        "this tensor, or the graph was cut between.",
        zh="{where}的反向传播没有到达它：起点不是由它计算的，或者中间的图被切断了。",
    ),
    "no-version": T(
        en="A tensor of inference mode has no version counter.", zh="推理模式的张量没有版本号。"
    ),
    "never-written": T(
        en="No write that the counter sees has been made since it was created.",
        zh="自创建以来，没有计数器能看见的写入。",
    ),
    "wrote": T(
        en="{where} wrote to it with `{op}`: the version went from {before} to {after}.",
        zh="{where}用 `{op}` 写入：版本号从 {before} 变为 {after}。",
    ),
    "wrote-unnamed": T(
        en="{where} wrote to it: the version went from {before} to {after}.",
        zh="{where}写入了它：版本号从 {before} 变为 {after}。",
    ),
    "more-writes": T(
        en="And {count:more write|more writes}, the last by {where}.",
        zh="另有 {count} 次写入，最后一次在{where}。",
    ),
    "born-with": T(
        en="It came out of {where} with version {version}: the operation wrote to its own result.",
        zh="它从{where}出来时版本号就是 {version}：该运算写过自己的结果。",
    ),
    "unseen-write": T(
        en="Besides, {where} wrote to its memory with `{op}`, and the counter did not move.",
        zh="另外，{where}用 `{op}` 写了它的内存，而版本号没有变。",
    ),
    "unseen-write-unnamed": T(
        en="Besides, {where} wrote to its memory, and the counter did not move.",
        zh="另外，{where}写了它的内存，而版本号没有变。",
    ),
    "last-write": T(
        en="The last to write to this memory was {where}, with `{op}`.",
        zh="最后写这块内存的是{where}，用的是 `{op}`。",
    ),
    "last-write-unnamed": T(
        en="The last to write to this memory was {where}.", zh="最后写这块内存的是{where}。"
    ),
    "values-made": T(
        en="They are what {where} made; nothing has written to them since.",
        zh="它们是{where}得到的值；此后没有写入。",
    ),
    "no-storage": T(en="It has no storage to share.", zh="它没有可以共享的存储。"),
    "alone": T(
        en="It is alone on storage {letter}, which {where} allocated.",
        zh="存储 {letter} 上只有它，由{where}分配。",
    ),
    "shares": T(
        en="{name} has the same storage {letter} since {where}: a write to one shows in the other.",
        zh="{name} 自{where}起与它共用存储 {letter}：写其中一个，另一个也会变。",
    ),
    "shares-apart": T(
        en="{name} lies on the same storage {letter} since {where}, but on other elements: a "
        "write to one leaves the values of the other as they are.",
        zh="{name} 自{where}起也在存储 {letter} 上，但占用不同的元素：值互不影响。",
    ),
    "node-leaf": T(
        en="It adds the gradient that arrives to the `.grad` of {name}: here a backward ends.",
        zh="它把到达的梯度加到 {name} 的 `.grad` 上：反向传播到此为止。",
    ),
    "node-made": T(
        en="{where} computed something from {names}, and autograd recorded it as this node: "
        "backward comes through here on its way to {names}.",
        zh="{where}用 {names} 做了计算，autograd 把它记录为这个节点：反向传播经过这里，"
        "再到达 {names}。",
    ),
    "node-made-alone": T(en="{where} recorded it.", zh="{where}记录了它。"),
    "slot-input": T(
        en="It saved its input {name}[{letter}] as `{slot}`, at version {version}.",
        zh="它保存了输入 {name}[{letter}]，名为 `{slot}`，版本 {version}。",
    ),
    "slot-output": T(
        en="It saved its own result {name}[{letter}] as `{slot}`, at version {version}.",
        zh="它保存了自己的结果 {name}[{letter}]，名为 `{slot}`，版本 {version}。",
    ),
    "slot-compiled": T(
        en="It saved {name}[{letter}], at version {version}.",
        zh="它保存了 {name}[{letter}]，版本 {version}。",
    ),
    "slot-stale": T(
        en="It saved {name}[{letter}] as `{slot}` at version {version}; it is at {now} now, "
        "so backward will refuse.",
        zh="它保存了 {name}[{letter}]（`{slot}`），当时版本 {version}，现在是 {now}："
        "反向传播会拒绝。",
    ),
    "slot-detached": T(
        en="It saved {name}[{letter}] as `{slot}`, and `detach_()` has cut that out of the graph.",
        zh="它保存了 {name}[{letter}]（`{slot}`），而 `detach_()` 已把它从计算图中切出。",
    ),
    "slot-freed": T(
        en="What it saved as `{slot}` was freed by a backward.",
        zh="它保存的 `{slot}` 已被反向传播释放。",
    ),
    "slot-hooked": T(
        en="What it saved as `{slot}` was packed by a hook, and its version is not checked.",
        zh="它保存的 `{slot}` 由钩子打包，不检查版本。",
    ),
    "node-hides": T(
        en="It stands for a write to a part of a tensor, and does not show what it saved.",
        zh="它代表对张量一部分的写入，不显示它保存了什么。",
    ),
    "node-saved-nothing": T(
        en="It saved nothing that a write could spoil.", zh="它没有保存会被写入破坏的东西。"
    ),
    "needed-by": T(
        en="A backward from {names} comes through here.", zh="从 {names} 出发的反向传播会经过这里。"
    ),
    "needed-by-none": T(
        en="No tensor with a name leads here any more.", zh="已经没有有名字的张量通向这里。"
    ),
}

_RESULT = T(
    en="Its derivative is written most simply with its own result, so it keeps that.",
    zh="它的导数用自身的结果来写最简单，所以保存结果。",
)
_INPUT = T(
    en="Its derivative depends on the input, so it keeps that.",
    zh="它的导数取决于输入，所以保存输入。",
)
_NOTHING = T(
    en="Its derivative depends on no values, so it keeps none.",
    zh="它的导数不取决于数值，所以什么也不保存。",
)
_SHAPE = T(
    en="It only moves elements: their places are all it needs to know.",
    zh="它只是移动元素：知道位置就够了。",
)

FORMULAS = {
    **dict.fromkeys(("Exp", "Sigmoid", "Tanh", "Sqrt", "Rsqrt", "Reciprocal", "Exp2"), _RESULT),
    **dict.fromkeys(("Softmax", "LogSoftmax", "Cumprod", "Norm", "LinalgVectorNorm"), _RESULT),
    **dict.fromkeys(("Sin", "Cos", "Tan", "Log", "Log2", "Log10", "Log1P", "Abs"), _INPUT),
    **dict.fromkeys(("Clamp", "Gelu", "Silu", "Elu", "LeakyRelu", "Erf", "Softplus"), _INPUT),
    **dict.fromkeys(("Add", "Sub", "Rsub", "Neg", "Sum", "Mean", "Clone", "Cat"), _NOTHING),
    **dict.fromkeys(("Stack", "Cumsum", "ToCopy", "Fill", "Zero", "Copy"), _NOTHING),
    **dict.fromkeys(("View", "Select", "Slice", "Unsqueeze", "Squeeze", "T", "Expand"), _SHAPE),
    **dict.fromkeys(("Transpose", "Permute", "Split", "Unbind", "Repeat", "AsStrided"), _SHAPE),
    "Relu": T(
        en="It keeps its result, to see where that is greater than 0: there gradients pass.",
        zh="它保存结果，用来判断哪里大于 0：只有那些位置的梯度能通过。",
    ),
    "Mul": T(
        en="The gradient of one factor is the other factor, so it keeps each whose partner "
        "requires grad.",
        zh="一个因子的梯度等于另一个因子，所以对方需要梯度的那个因子会被保存。",
    ),
    "Div": T(
        en="The gradient of a quotient needs the divisor, and for the divisor the dividend too.",
        zh="商的梯度需要除数；对除数求导还需要被除数。",
    ),
    "Pow": T(
        en="The derivative of a power is the exponent times a lower power of the input.",
        zh="幂的导数是指数乘以输入的低一次幂，所以要保存输入。",
    ),
    **dict.fromkeys(
        ("Mm", "Bmm", "Mv", "Dot", "Addmm", "Baddbmm"),
        T(
            en="The gradient of one matrix is a product with the other, so it keeps both that "
            "are needed.",
            zh="一个矩阵的梯度要与另一个相乘，所以保存所需的矩阵。",
        ),
    ),
    **dict.fromkeys(
        ("Max", "Min", "Sort", "Topk", "Gather", "Index", "IndexSelect", "Embedding"),
        T(
            en="It keeps indices: they say to which elements the gradient belongs.",
            zh="它保存下标：由此知道梯度属于哪些元素。",
        ),
    ),
    "Where": T(
        en="It keeps the condition: it says which branch a gradient goes to.",
        zh="它保存条件：由此决定梯度走哪个分支。",
    ),
    "Convolution": T(
        en="The gradient of the weight needs the input, and that of the input the weight.",
        zh="权重的梯度需要输入，输入的梯度需要权重。",
    ),
    "MseLoss": T(
        en="The gradient is the difference of input and target, so it keeps both.",
        zh="梯度是输入与目标之差，所以两者都保存。",
    ),
}
"""By the name of a node without `Backward0`: what an operation keeps, and what for."""
