"""What each fix does, and what it changes."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText

TITLES = {
    "out_of_place": LocalText(
        en="Compute a new `{name}` instead of writing the old one in place",
        zh="计算一个新的 `{name}`，而不是原地修改旧的",
    ),
    "argument_kept": LocalText(
        en="Leave what was passed as `{name}` alone: compute a new tensor",
        zh="不动作为 `{name}` 传入的张量：计算一个新的",
    ),
    "only_here": LocalText(
        en="Compute it out of place and leave `{name}` as it is",
        zh="改为非原地计算，`{name}` 保持原样",
    ),
    "as_method": LocalText(
        en="Write the tensor `{name}` itself: its container takes no new element",
        zh="直接写张量 `{name}` 本身：它所在的容器不接受新元素",
    ),
    "masked_fill": LocalText(
        en="Fill the masked elements of a new `{name}`", zh="用 `masked_fill` 得到一个新的 `{name}`"
    ),
    "full_like": LocalText(
        en="Make a new, filled `{name}` instead of filling the old one",
        zh="新建一个填好值的 `{name}`，而不是填充旧的",
    ),
    "not_in_place": LocalText(
        en="Let `{name}` return a new tensor: no `inplace=True`",
        zh="让 `{name}` 返回新张量：不用 `inplace=True`",
    ),
    "module_not_in_place": LocalText(
        en="Let `{path}`, the `{name}` made on line {line}, return a new tensor: no `inplace=True`",
        zh="让 `{path}`（第 {line} 行创建的 `{name}`）返回新张量：不用 `inplace=True`",
    ),
    "flag_not_set": LocalText(
        en="Leave `{name}.inplace` off, so that these modules return new tensors",
        zh="不要打开 `{name}.inplace`，让这些模块返回新张量",
    ),
    "none_in_place": LocalText(
        en="Let every module return a new tensor: no `inplace=True`",
        zh="让所有模块都返回新张量：不用 `inplace=True`",
    ),
    "asked_in_place": LocalText(
        en="Ask `{name}` for `inplace=False`, so that its modules return new tensors",
        zh="调用 `{name}` 时传 `inplace=False`，让其中的模块返回新张量",
    ),
    "option_off": LocalText(
        en="Make `{name}` with `{option}=False`: here it writes only what is there already",
        zh="创建 `{name}` 时传 `{option}=False`：这里它写入的值本来就在",
    ),
    "copy_first": LocalText(en="Write into a copy of `{name}`", zh="写入 `{name}` 的一个副本"),
    "copy_saved": LocalText(
        en="Give the op that saves `{name}` a copy of its own",
        zh="给保存 `{name}` 的运算一份自己的副本",
    ),
    "copy_weights": LocalText(
        en="Give the op that saves the parameter `{name}` a copy: an update can't reach it",
        zh="给保存参数 `{name}` 的运算一份副本：更新参数不会影响它",
    ),
    "copy_result": LocalText(
        en="Take a copy of the result `{name}`: the op keeps what it saved",
        zh="取结果 `{name}` 的副本：运算保存的那一份不再被改",
    ),
    "copy_parameters": LocalText(
        en="Run `{name}` with copies of its parameters: an update can't reach them",
        zh="用参数的副本运行 `{name}`：更新参数不会影响计算图",
    ),
    "copy_passed": LocalText(en="Pass a copy of `{name}`", zh="传入 `{name}` 的副本"),
    "copy_alias": LocalText(
        en="Make `{name}` a copy that shares no memory", zh="让 `{name}` 成为不共享内存的副本"
    ),
    "copy_detached": LocalText(
        en="Make `{name}` a copy: what it was detached from keeps its values",
        zh="让 `{name}` 成为副本：被 detach 的张量保持原来的值",
    ),
    "copy_pieces": LocalText(
        en="Make the pieces in `{name}` copies instead of views",
        zh="让 `{name}` 里的各部分成为副本而不是视图",
    ),
    "indices": LocalText(
        en="Loop over indices of `{name}`: each `{name}[i]` is a view of its own",
        zh="按下标遍历 `{name}`：每个 `{name}[i]` 是单独的视图",
    ),
    "under_no_grad": LocalText(
        en="Write under `torch.no_grad()`: autograd does not record it",
        zh="在 `torch.no_grad()` 里写：autograd 不记录这次修改",
    ),
    "with_gradients": LocalText(
        en="Switch gradients on for this call: `torch.enable_grad()`",
        zh="在这次调用中打开梯度：`torch.enable_grad()`",
    ),
    "ask_later": LocalText(
        en="Write `{name}` first, ask for its gradient afterwards",
        zh="先写 `{name}`，再要求它的梯度",
    ),
    "another_name": LocalText(
        en="Keep the leaf `{name}`, call the result `{new}`",
        zh="保留叶子张量 `{name}`，把结果叫作 `{new}`",
    ),
    "other_mode": LocalText(en="Use `{new}` instead of `{old}`", zh="用 `{new}` 代替 `{old}`"),
    "without_context": LocalText(en="Leave out the `{name}` around it", zh="去掉外层的 `{name}`"),
    "detach": LocalText(
        en="Detach `{name}`: the gradient ends there", zh="对 `{name}` 调用 detach：梯度到此为止"
    ),
    "detach_array": LocalText(
        en="Detach `{name}` first: an array has no graph",
        zh="先对 `{name}` 调用 detach：数组没有计算图",
    ),
    "clone_instead": LocalText(
        en="Clone the tensor: a copy with its graph", zh="用 clone：得到带计算图的副本"
    ),
    "number_kept": LocalText(
        en="Keep the number `{name}.item()`, not the tensor with its graph",
        zh="保存数值 `{name}.item()`，而不是带计算图的张量",
    ),
    "backward_once": LocalText(
        en="Leave out `{name}`: the backward before it went through the same loss",
        zh="去掉 `{name}`：前一次反向传播已经走过同一个损失",
    ),
    "retain_grad": LocalText(
        en="Ask `{name}`, which is not a leaf, to keep its gradient",
        zh="让非叶子张量 `{name}` 保留梯度",
    ),
    "ask": LocalText(en="Let `{name}` require grad", zh="让 `{name}` 需要梯度"),
    "attached": LocalText(en="Leave `{name}` in the graph", zh="让 `{name}` 留在计算图里"),
    "floats": LocalText(
        en="Make `{name}` a tensor of floats: integers have no gradient",
        zh="让 `{name}` 成为浮点张量：整数没有梯度",
    ),
    "cast": LocalText(
        en="Give `{name}` the dtype of what it is written to", zh="把 `{name}` 转成被写张量的 dtype"
    ),
    "scatter": LocalText(
        en="Give each masked element a value of its own: `masked_scatter`",
        zh="给每个被遮罩的元素各自的值：`masked_scatter`",
    ),
    "randomness": LocalText(
        en="Say how `vmap` treats random numbers", zh="告诉 `vmap` 如何处理随机数"
    ),
    "coalesce": LocalText(en="Coalesce `{name}` first", zh="先对 `{name}` 调用 coalesce"),
    "not_reentrant": LocalText(
        en="Checkpoint with `use_reentrant=False`", zh="checkpoint 改用 `use_reentrant=False`"
    ),
    "dense": LocalText(en="Use dense gradients", zh="使用稠密梯度"),
    "backward_first": LocalText(
        en="Run this backward before the write of line {line}",
        zh="把这次反向传播移到第 {line} 行的写入之前",
    ),
    "write_later": LocalText(
        en="Write after the backward of line {line}, which still needs the old values",
        zh="移到第 {line} 行的反向传播之后再写，它还需要旧值",
    ),
    "update_later": LocalText(
        en="Do this whole update after line {line}: backward and step",
        zh="把这次更新（反向传播和 step）整个移到第 {line} 行之后",
    ),
    "forward_again": LocalText(
        en="Compute `{name}` again after the step of line {line}",
        zh="在第 {line} 行的 step 之后重新计算 `{name}`",
    ),
    "detach_fake": LocalText(
        en="Detach `{detached}` for the first loss, and compute `{name}` again after the step of "
        "line {line}",
        zh="第一个损失对 `{detached}` 使用 detach，并在第 {line} 行的 step 之后重新计算 `{name}`",
    ),
    "step_after": LocalText(
        en="Step after the backward of line {line}, with the gradient that it delivers",
        zh="把 step 移到第 {line} 行的反向传播之后，用它得到的梯度",
    ),
    "steps_last": LocalText(
        en="Run both backwards before both steps", zh="两次反向传播都放在两次 step 之前"
    ),
    "joint_loss": LocalText(
        en="One backward from the sum of `{one}` and `{other}`, before both steps",
        zh="在两次 step 之前，对 `{one}` 与 `{other}` 之和做一次反向传播",
    ),
    "stack": LocalText(
        en="Collect the slots of `{name}` in a list and stack them",
        zh="把 `{name}` 的各个位置收集到列表里，再用 torch.stack 合并",
    ),
    "where": LocalText(
        en="Choose between old and new values: `torch.where`",
        zh="用 `torch.where` 在新旧值之间选择",
    ),
    "index_add": LocalText(
        en="Add to a new `{name}`: `index_add`", zh="用 `index_add` 得到加好的新 `{name}`"
    ),
    "write_first": LocalText(
        en="Write before line {line} saves it", zh="在第 {line} 行保存它之前写"
    ),
    "into_block": LocalText(
        en="Do it inside the block of line {line}", zh="移进第 {line} 行的代码块里"
    ),
    "retain_graph": LocalText(
        en="Keep the graph for the next backward: `retain_graph=True`",
        zh="为下一次反向传播保留计算图：`retain_graph=True`",
    ),
    "one_backward": LocalText(
        en="One backward from the sum of `{one}` and `{other}`",
        zh="对 `{one}` 与 `{other}` 之和只做一次反向传播",
    ),
    "recompute": LocalText(
        en="Compute the loss again before the second backward", zh="第二次反向传播之前重新计算损失"
    ),
    "not_kept": LocalText(
        en="Compute `{name}` each time, and keep no graph from one time to the next",
        zh="每次都重新计算 `{name}`，不把计算图从一次留到下一次",
    ),
    "create_graph": LocalText(
        en="Record the first backward too: `create_graph=True`",
        zh="把第一次反向传播也记录进计算图：`create_graph=True`",
    ),
    "anew_each_round": LocalText(
        en="Compute `{name}` anew in every round, from the values of that round",
        zh="每一轮都用当时的值重新计算 `{name}`",
    ),
    "empty_each_round": LocalText(
        en="Begin every round with empty `{name}`: nothing of the round before is used again",
        zh="每一轮都从空的 `{name}` 开始：不再用到上一轮的结果",
    ),
    "detach_before": LocalText(
        en="Detach `{name}`, which is made once before the loop: it counts as a constant",
        zh="对循环前只计算一次的 `{name}` 调用 detach：把它当作常数",
    ),
    "detach_state": LocalText(
        en="Detach `{name}` between rounds: the gradient stops at this round",
        zh="每轮之间对 `{name}` 调用 detach：梯度只在本轮内流动",
    ),
    "detach_itself": LocalText(
        en="Detach `{name}` itself: `{name}.detach()` alone changes nothing",
        zh="真正对 `{name}` 做 detach：只写 `{name}.detach()` 不起作用",
    ),
    "detach_stored": LocalText(
        en="Detach what is stored in `{name}`: what was collected counts as a constant",
        zh="存入 `{name}` 时调用 detach：收集到的量当作常数",
    ),
    "detach_written": LocalText(
        en="Detach `{name}`, so that no graph is carried on",
        zh="对 `{name}` 调用 detach，不再带着计算图往下走",
    ),
    "sum": LocalText(en="Sum `{name}` to a single number", zh="把 `{name}` 求和成一个数"),
    "weights": LocalText(
        en="Say how much each element counts: a weight of 1", zh="指定每个元素的权重：都为 1"
    ),
    "leaf_kept": LocalText(
        en="Update `{name}` under `no_grad`, and clear the gradient",
        zh="在 `no_grad` 里更新叶子张量 `{name}`，并清空梯度",
    ),
    "leaf_updated": LocalText(
        en="Write into `{name}` instead of giving the name to a new tensor",
        zh="写进叶子张量 `{name}`，而不是让这个名字指向新张量",
    ),
    "new_leaf": LocalText(
        en="Detach `{name}` and ask for its gradient: a new leaf",
        zh="对 `{name}` 先 detach，再要求梯度：成为新的叶子张量",
    ),
    "ctx_attribute": LocalText(
        en="Keep `{name}`, which is not a tensor, as an attribute of `ctx`",
        zh="`{name}` 不是张量，改为作为属性存在 `ctx` 上",
    ),
    "keep_copy": LocalText(
        en="Keep a copy of `{name}` on `ctx`", zh="在 `ctx` 上保存 `{name}` 的副本"
    ),
    "return_copy": LocalText(
        en="Return a copy of the input `{name}`", zh="返回输入 `{name}` 的副本"
    ),
    "mark_dirty": LocalText(
        en="Tell autograd that `{name}` was written, and return it",
        zh="告诉 autograd `{name}` 被写过，并返回它本身",
    ),
    "return_gradient": LocalText(
        en="Return a new gradient instead of writing `{name}`",
        zh="返回新的梯度，而不是修改 `{name}`",
    ),
    "new_list": LocalText(
        en="Put new tensors into `{name}` instead of writing the old ones",
        zh="把新张量放进 `{name}`，而不是修改原来的张量",
    ),
    "return_output": LocalText(
        en="Return a new output from the hook instead of writing `{name}`",
        zh="让钩子返回新的输出，而不是修改 `{name}`",
    ),
    "pack_copy": LocalText(en="Pack a copy", zh="打包时保存副本"),
}


_TRUNCATED = LocalText(
    en="no gradient goes back into earlier rounds (truncated backpropagation through time)",
    zh="梯度不再流回之前的各轮（截断的随时间反向传播）",
)

COMPUTES = {
    "forward_again": LocalText(
        en="the second loss is that of the updated parameters", zh="第二个损失用的是更新后的参数"
    ),
    "detach_fake": LocalText(
        en="the first loss sends no gradient into what made its input, and the second loss is that "
        "of the updated parameters",
        zh="第一个损失的梯度不再流入产生其输入的网络，第二个损失用的是更新后的参数",
    ),
    "step_after": LocalText(
        en="each step takes the gradient of its own round, and the next forward the updated "
        "parameters",
        zh="每次 step 使用本轮的梯度，下一轮前向使用更新后的参数",
    ),
    "steps_last": LocalText(
        en="both losses are those of the old parameters; parameters that both reach get the sum of "
        "their gradients",
        zh="两个损失用的都是更新前的参数；两者共有的参数得到的是梯度之和",
    ),
    "joint_loss": LocalText(
        en="there is one backward, from the sum of the losses, and shared parameters get the sum "
        "of the gradients",
        zh="对损失之和只做一次反向传播，共有的参数得到梯度之和",
    ),
    "copy_detached": LocalText(
        en="what follows reads the values from before the write in the tensor that was detached",
        zh="之后读取被 detach 的张量时，得到的是写入之前的值",
    ),
    "detach_state": _TRUNCATED,
    "detach_itself": _TRUNCATED,
    "argument_kept": LocalText(
        en="whoever else holds what was passed keeps its old values", zh="传入的张量保持原来的值"
    ),
    "backward_once": LocalText(
        en="the gradient is that of one backward, not of two",
        zh="梯度只来自一次反向传播，而不是两次",
    ),
    "detach_before": LocalText(
        en="what was made before the loop counts as a constant", zh="循环前计算的量被当作常数"
    ),
    "detach_stored": LocalText(
        en="no gradient goes back into what computed the stored values",
        zh="梯度不再流回计算这些存储值的部分",
    ),
    "anew_each_round": LocalText(
        en="each round computes it from the values of that round", zh="每一轮都用当时的值重新计算"
    ),
    "empty_each_round": LocalText(
        en="each round uses what it has collected itself", zh="每一轮只用本轮收集的结果"
    ),
}
"""What the usual way computes instead, by its kind."""


class FixStepTexts:
    """A fix that takes several edits."""

    on_line = LocalText(en="{title} (line {line})", zh="{title}（第 {line} 行）")
    on_lines = LocalText(
        en="{title} (lines {lines} and {last})", zh="{title}（第 {lines}、{last} 行）"
    )
    then = LocalText(en="{one}; {other}", zh="{one}；{other}")


class FixEffectTexts:
    """What a fix changes."""

    value = LocalText(
        en="`{name}` is {now} where the original had {before}",
        zh="`{name}` 是 {now}，原程序是 {before}",
    )
    loss = LocalText(
        en="backward starts from `{name}` = {now} where the original had {before}",
        zh="反向传播从 `{name}` = {now} 开始，原程序是 {before}",
    )
    drawn_anew = LocalText(
        en="{meaning}, for newly drawn random numbers", zh="{meaning}，且随机数是重新抽取的"
    )
    other = LocalText(en="it computes something else", zh="计算的内容不同")
    gradient = LocalText(
        en="{meaning}: at the backward of line {line} the gradient of `{name}` is {now}, with the "
        "values that were saved it would be {before}",
        zh="{meaning}：第 {line} 行的反向传播中 `{name}` 的梯度是 {now}，"
        "按当时保存的值则是 {before}",
    )
    more = LocalText(en="{changes}; and {count} more", zh="{changes}；另有 {count} 处")
    both = LocalText(en="{one}; {other}", zh="{one}；{other}")
    output = LocalText(en="it prints other text", zh="打印的内容不同")


class FixListTexts:
    """What the screens say around them."""

    usual = LocalText(
        en="the usual way; it computes something else", zh="通常的写法；但计算的内容不同"
    )

    head = LocalText(en="Fixes that were run, and work", zh="运行过、确实可行的改法")
    head_key = LocalText(
        en="Fixes that were run, and work ({keys[fixes]}: see them whole, open one)",
        zh="运行过、确实可行的改法（按 {keys[fixes]} 查看全部改动并打开）",
    )
    looking = LocalText(en="looking for fixes…", zh="正在寻找改法……")
    trying = LocalText(
        en="looking for fixes… ({tried} of {total} tried)",
        zh="正在寻找改法……（已试 {tried}/{total} 种）",
    )
    none_passed = LocalText(
        en="No rewrite passed: {tried:was|were} run, and none does what was meant and has right "
        "gradients.",
        zh="没有找到可行的改法：试了 {tried} 种，都不能既保持原意又得到正确的梯度。",
    )
    nothing_to_try = LocalText(
        en="No rewrite is known for this failure.", zh="对于这种出错，还没有可以尝试的改法。"
    )
    no_view = LocalText(
        en="No rewrite was tried: here a run could change your files. `inplace-tui explain "
        "--in-place` tries them anyway; `inplace-tui doctor` says why.",
        zh="没有尝试任何改法：在这里运行可能改动你的文件。`inplace-tui explain --in-place` "
        "照样尝试；原因见 `inplace-tui doctor`。",
    )
    cut_short = LocalText(
        en="The time for trying was over: {tried} of {total} rewrites were run.",
        zh="尝试的时间已用完：只试了 {total} 种中的 {tried} 种。",
    )
    moves = LocalText(
        en="line {old} moves to line {new}: {code}", zh="第 {old} 行移到第 {new} 行：{code}"
    )
    more = LocalText(
        en="… {count:more changed line|more changed lines}", zh="……另有 {count} 行改动"
    )
