"""What backward would do from here, in a word and in a sentence."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText as T

WORDS = {
    "runs": T(en="ok", zh="正常"),
    "raises": T(en="!err", zh="!报错"),
    "wrong": T(en="~wrong", zh="~有误"),
    "unknown": T(en="?", zh="?"),
}
"""In the cell."""


class ForecastTexts:
    """What a backward pass from here would do."""

    about = T(en="backward from here: {told}", zh="从这里反向传播：{told}")
    found = T(en="(found by replaying the program)", zh="（重放程序得出）")
    finding = T(en="replaying the program to find out …", zh="正在重放程序以求证……")
    leaf = T(
        en="{name} is a leaf: there is no graph to go through, only its own `.grad` to fill.",
        zh="{name} 是叶子：没有计算图可走，只会填充它自己的 `.grad`。",
    )
    no_graph = T(
        en="{name} has no graph: `backward()` from it would refuse to start.",
        zh="{name} 没有计算图：从它调用 `backward()` 会立即被拒绝。",
    )
    runs = T(
        en="runs, and the gradients are right: every tensor saved on the way is still what it was.",
        zh="会正常运行，梯度正确：沿途保存的每个张量都还是当时的值。",
    )
    runs_replayed = T(en="runs, and the gradients are right.", zh="会正常运行，梯度正确。")
    raises = T(en="raises an error.", zh="会报错。")
    raises_stale = T(
        en="raises at {node}: what it saved as `{slot}` had version {saved}, and now has {now}.",
        zh="会在 {node} 处报错：它保存的 `{slot}` 当时版本为 {saved}，现在是 {now}。",
    )
    raises_versions = T(
        en="raises: a saved tensor is at version {now}, and version {saved} is expected.",
        zh="会报错：某个被保存的张量现为版本 {now}，而期望的是版本 {saved}。",
    )
    raises_detached = T(
        en="raises at {node}: what it saved as `{slot}` was cut out of the graph by `detach_()`.",
        zh="会在 {node} 处报错：它保存的 `{slot}` 已被 `detach_()` 从计算图中切出。",
    )
    raises_freed = T(
        en="raises at {node}: an earlier backward has freed what it saved as `{slot}`.",
        zh="会在 {node} 处报错：它保存的 `{slot}` 已被之前的反向传播释放。",
    )
    raises_freed_replayed = T(
        en="raises: an earlier backward has freed this graph.",
        zh="会报错：之前的反向传播已释放这张计算图。",
    )
    raises_complex = T(
        en="refuses to start: the sum is complex, and backward starts from a real number.",
        zh="会立即被拒绝：求和结果是复数，而反向传播要从实数开始。",
    )
    at_latest = T(
        en="Something that can't be looked into comes before, and may raise first.",
        zh="在它之前还有无法查看的节点，可能先报错。",
    )
    wrong = T(
        en="runs without an error, and a gradient comes out wrong.",
        zh="会运行且不报错，但梯度是错的。",
    )
    wrong_slot = T(
        en="runs without an error, and a gradient comes out wrong: what {node} saved as `{slot}` "
        "has other values now, and its version has not moved.",
        zh="会运行且不报错，但梯度是错的：{node} 保存的 `{slot}` 现在值变了，而版本号没有变。",
    )


SILENCES = {
    "program": T(
        en="unknown: a hook, a mode or a backward that runs already may change what happens.",
        zh="未知：钩子、某种模式或正在进行的反向传播可能改变结果。",
    ),
    "view": T(
        en="unknown: its base was written in place, and torch makes its `grad_fn` anew "
        "when it is next used.",
        zh="未知：它的基张量被原地修改过，torch 会在下次使用时重建它的 `grad_fn`。",
    ),
    "tensor": T(
        en="unknown: tensors of this kind are not looked into.", zh="未知：这类张量不做深入查看。"
    ),
    "hidden": T(
        en="unknown: {node} on the way does not show what it saved.",
        zh="未知：途中的 {node} 不显示它保存了什么。",
    ),
    "custom": T(
        en="unknown: {node} on the way runs Python code of its own.",
        zh="未知：途中的 {node} 会运行自己的 Python 代码。",
    ),
    "compiled": T(
        en="unknown: {node} on the way stands for a compiled region, which is not looked into.",
        zh="未知：途中的 {node} 代表一个已编译区域，不做深入查看。",
    ),
    "deep": T(
        en="unknown: the graph has more nodes than are gone through here.",
        zh="未知：计算图的节点太多，这里不逐一查看。",
    ),
    "rare": T(
        en="unknown: {node} on the way may refuse by itself.",
        zh="未知：途中的 {node} 自身可能拒绝计算。",
    ),
    "unrecorded": T(
        en="unknown: the result of {node} was written in a way that the graph does not know.",
        zh="未知：{node} 的结果被以计算图不知道的方式写过。",
    ),
    "hooked": T(
        en="unknown: what {node} saved as `{slot}` was packed by a hook.",
        zh="未知：{node} 保存的 `{slot}` 由钩子打包。",
    ),
    "large": T(
        en="unknown: what {node} saved as `{slot}` is too large to be recorded whole.",
        zh="未知：{node} 保存的 `{slot}` 太大，没有完整记录。",
    ),
    "changed": T(
        en="unknown: what {node} saved as `{slot}` has changed, and its version has not; "
        "whether that matters is not told by the graph.",
        zh="未知：{node} 保存的 `{slot}` 变了而版本号没变；是否有影响，计算图看不出来。",
    ),
    "unseen": T(
        en="unknown: between saving `{slot}` of {node} and the end of that line, "
        "something may have written it unseen.",
        zh="未知：从保存 {node} 的 `{slot}` 到那一行结束之间，可能有无法察觉的写入。",
    ),
    "gradient": T(
        en="unknown: a `.grad` on the way is unusual, or was saved itself.",
        zh="未知：途中某个 `.grad` 不寻常，或它自己被保存了。",
    ),
    "no-view": T(
        en="unknown: only running the program again would tell, and here that could change your "
        "files.",
        zh="未知：只有再次运行程序才能知道，而在这里那可能改动你的文件。",
    ),
    "not-repeated": T(
        en="unknown: a replay of the program does not come out the same.",
        zh="未知：重放程序得不到相同的结果。",
    ),
    "not-compared": T(
        en="it runs; the replays could not determine whether the gradient is right.",
        zh="会正常运行；梯度是否正确，重放无法确定。",
    ),
    "earlier-wrong": T(
        en="it runs; an earlier backward was wrong already, so replays prove nothing here.",
        zh="会正常运行；但之前的反向传播已经有误，重放在这里证明不了什么。",
    ),
}
"""Why it is not known, by `Silence`."""
