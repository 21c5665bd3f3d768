"""The words that everything here is said in, each in a sentence."""

from __future__ import annotations

from inplace_tui.model.lesson import LocalText as T

HEADING = T(en="Words", zh="术语")

WORDS = (
    T(
        en="`in place`: a write into the tensor itself (`y.add_(1)`, `y += 1`), not a new one.",
        zh="`in place`（原地）：直接写入张量本身（`y.add_(1)`、`y += 1`），而不是生成新的张量。",
    ),
    T(
        en="`storage`: the memory that holds the values; views share one. Letters name them.",
        zh="`storage`（存储）：存放数值的内存，视图共用同一块。这里用字母表示。",
    ),
    T(
        en="`version`: counts the writes into a storage that autograd saw.",
        zh="`version`（版本号）：autograd 看到的、对一块存储的写入次数。",
    ),
    T(
        en="`saved`: kept by a node for backward, with the version that it had then.",
        zh="`saved`（保存）：节点为反向传播留下的张量，以及当时的版本号。",
    ),
    T(
        en="`leaf`: a tensor that no recorded operation made; `.grad` arrives here.",
        zh="`leaf`（叶子）：不是由被记录的操作产生的张量，`.grad` 存放在这里。",
    ),
    T(
        en="`grad_fn`: the node of the graph that made a tensor, and that backward runs.",
        zh="`grad_fn`：产生这个张量的计算图节点，反向传播时运行的就是它。",
    ),
    T(
        en="`view`: a tensor on the storage of another, its base.",
        zh="`view`（视图）：与另一个张量（它的 base）共用存储的张量。",
    ),
)
