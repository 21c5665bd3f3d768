"""Why it can't be told whether a gradient is right, in a sentence each."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText

DOUBTS = {
    "runs-differ": LocalText(
        en="two runs of it delivered different gradients.", zh="两次运行得到的梯度不同。"
    ),
    "ends-differ": LocalText(
        en="another run of it did not reach the end ({detail}).",
        zh="再运行一次时没有跑到结尾（{detail}）。",
    ),
    "retried": LocalText(
        en="it lives on after a backward that raised {detail}.",
        zh="某次反向传播抛出 {detail} 之后，程序仍继续运行。",
    ),
    "other-backwards": LocalText(
        en="its replay ran other backwards than the program.",
        zh="重放时执行的反向传播与原程序不同。",
    ),
    "replay-raised": LocalText(en="its replay raised {detail}", zh="重放时抛出了异常 {detail}"),
    "too-many-backwards": LocalText(
        en="it ran backward more often, or for longer, than can be compared",
        zh="反向传播的次数太多或时间太长，无法全部比较",
    ),
    "replay-too-slow": LocalText(
        en="its replay took longer than {detail} s.", zh="重放超过了 {detail} 秒。"
    ),
    "replay-died": LocalText(
        en="its replay died with exit code {detail}.", zh="重放的进程终止，退出码 {detail}。"
    ),
    "replay-stopped": LocalText(en="its replay was stopped.", zh="重放被中止。"),
    "not-cloned": LocalText(
        en="a saved tensor can't be cloned: {detail}", zh="有一个保存的张量无法克隆：{detail}"
    ),
    "rounded-by-hooks": LocalText(
        en="hooks of its own give back other values than they were given, and its gradients are "
        "no more exact than that.",
        zh="它自己的钩子取回的值与存入时不同，梯度只精确到这个程度。",
    ),
    "transformed": LocalText(
        en="it uses `torch.func`, which refuses the hooks with which a replay clones what is "
        "saved.",
        zh="它使用了 `torch.func`，而后者不允许使用重放时克隆所存张量的钩子。",
    ),
    "history-unreached": LocalText(
        en="line {line} writes what is computed with {detail} through `.data` or `detach()`, and "
        "no backward goes through that write.",
        zh="第 {line} 行通过 `.data` 或 `detach()` 写入了由 {detail} 算出的值，"
        "而没有任何反向传播经过这次写入。",
    ),
    "update-cut-off": LocalText(
        en="line {line} takes the gradient of {detail} with `create_graph=True`, and no backward "
        "goes through that graph: {detail} moved along the gradient by a write that autograd did "
        "not record, and to the loss that came after, in backward no. {backward} of the run, that "
        "step is a constant.",
        zh="第 {line} 行用 `create_graph=True` 求了 {detail} 的梯度，却没有任何反向传播经过"
        "那张计算图：{detail} 沿这个梯度的更新没有被 autograd 记录，"
        "对后面的损失（本次运行的第 {backward} 次反向传播）来说，这一步只是常数。",
    ),
    "written-behind": LocalText(
        en="line {line} ({op}) writes {detail} where autograd does not see it, and backward no. "
        "{backward} of the run brings {detail} a gradient from what was computed afterwards: it "
        "is handed on as if nothing had been written.",
        zh="第 {line} 行（{op}）写了 {detail}，autograd 看不到这次写入，而本次运行的第 "
        "{backward} 次反向传播从其后的计算给 {detail} 带来了梯度：它被原样往前传，"
        "就像什么都没有写过。",
    ),
    "gradient-not-read": LocalText(
        en="a gradient can't be read: {detail}", zh="有一个梯度无法读取：{detail}"
    ),
    "not-marked-dirty": LocalText(
        en="the Function {detail} writes its input without `mark_dirty`, "
        "so the graph lacks that write.",
        zh="自定义 Function {detail} 写了输入却没有调用 `mark_dirty`，计算图里缺少这次写入。",
    ),
    "cells-shared": LocalText(
        en="{detail} wrote to elements that share memory, and the order of writing can't be told.",
        zh="{detail} 写入的多个元素共享同一处内存，无法确定写入的先后顺序。",
    ),
    "not-recorded": LocalText(
        en="autograd does not record {detail}, and its replay could not do so either.",
        zh="autograd 不记录 {detail}，重放时也无法补记。",
    ),
}
"""By `Reason`. `{detail}` is a name, or torch's own words."""
