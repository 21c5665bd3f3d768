"""The sentences that say how a run ended, and who did it."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText


class BlameTexts:
    """Who did it. `{code}` is a line of the program, quoted."""

    saved_result = LocalText(
        en="Line {line} `{code}` saved {tensor}{version} ({node} keeps its result).",
        zh="第 {line} 行 `{code}` 保存了{version}{tensor}（{node} 保存的是自己的结果）。",
    )
    saved_input = LocalText(
        en="Line {line} `{code}` saved {tensor}{version} ({node} keeps its input {slot}).",
        zh="第 {line} 行 `{code}` 保存了{version}{tensor}（{node} 保存的是输入 {slot}）。",
    )
    saved_compiled = LocalText(
        en="Line {line} `{code}` saved {tensor}{version} ({node} of the compiled region keeps it).",
        zh="第 {line} 行 `{code}` 保存了{version}{tensor}（由已编译区域的 {node} 保存）。",
    )
    saved_inside = LocalText(
        en="Line {line} `{code}` saved {tensor}{version} inside {node}, which hides it.",
        zh="第 {line} 行 `{code}` 保存了{version}{tensor}（藏在 {node} 里）。",
    )
    saved_by_checkpoint = LocalText(
        en="A checkpoint saved {tensor}{version}, for line {line} `{code}`: it keeps its inputs, "
        "to run its function again in backward.",
        zh="checkpoint 为第 {line} 行 `{code}` 保存了{version}{tensor}：它保存输入，"
        "以便反向传播时重新运行其中的函数。",
    )
    saved_behind_hooks = LocalText(
        en="Line {line} `{code}` saved {tensor}{version} for {node}, behind hooks.",
        zh="第 {line} 行 `{code}` 为 {node} 保存了{version}{tensor}（由钩子保管）。",
    )
    saved_unknown_line = LocalText(
        en="{node} saved {tensor}{version}.", zh="{node} 保存了{version}{tensor}。"
    )
    at_version = LocalText(en=" at version {version}", zh="版本 {version} 的 ")
    a_tensor = LocalText(en="a tensor", zh="一个张量")
    changed = LocalText(
        en="Line {line} `{code}` changed it to version {after}",
        zh="第 {line} 行 `{code}` 把它改到了版本 {after}",
    )
    updated = LocalText(
        en="Line {line} `{code}` changed {tensor} from version {before} to {after}: {op} writes "
        "the parameters in place.",
        zh="第 {line} 行 `{code}` 把 {tensor} 从版本 {before} 改到了版本 {after}：{op} "
        "会原地修改参数。",
    )
    updated_needed = LocalText(
        en="Line {line} `{code}` then goes back through the forward of line {forward}, which "
        "still needs version {version}.",
        zh="随后第 {line} 行 `{code}` 要沿第 {forward} 行的前向计算反向传播，"
        "仍然需要版本 {version}。",
    )
    updated_instead = LocalText(
        en="An update must not come between a forward and its backward. Either the step waits "
        "for that backward, or the forward runs again after the step, with the new parameters: "
        "loss and gradient are then those of the new ones.",
        zh="前向和它的反向之间不能插入参数更新。要么等这次反向传播做完再 step，"
        "要么在 step 之后用新参数重新做一次前向：那时的损失和梯度就是新参数的。",
    )
    changed_named = LocalText(
        en="Line {line} `{code}` changed {tensor} from version {before} to {after}",
        zh="第 {line} 行 `{code}` 把 {tensor} 从版本 {before} 改到了版本 {after}",
    )
    changed_through = LocalText(
        en="Line {line} `{code}` changed it through {tensor} to version {after}",
        zh="第 {line} 行 `{code}` 通过 {tensor} 把它改到了版本 {after}",
    )
    changed_through_unseen = LocalText(
        en="Line {line} `{code}` changed its values through {tensor}, and no version number moved",
        zh="第 {line} 行 `{code}` 通过 {tensor} 改了它的值，而版本号没有变",
    )
    changed_unchecked = LocalText(
        en="Line {line} `{code}` changed {tensor}, and what {node} keeps out of sight is not "
        "checked",
        zh="第 {line} 行 `{code}` 改了 {tensor}，而 {node} 私下保存的东西不受检查",
    )
    changed_unrecorded = LocalText(
        en="Line {line} `{code}` changed {tensor}, and the graph does not say so",
        zh="第 {line} 行 `{code}` 改了 {tensor}，而计算图里没有记下这次改动",
    )
    changed_gradient = LocalText(
        en="Line {line} `{code}` wrote a gradient in place, which others were to receive too",
        zh="第 {line} 行 `{code}` 原地改了一个梯度，而别处也要用到它",
    )
    kept = LocalText(
        en="Line {line} `{code}` made {node}, which keeps a tensor where no version is checked.",
        zh="第 {line} 行 `{code}` 产生了 {node}，它保存的张量不受版本检查。",
    )
    changed_unseen = LocalText(
        en="Line {line} `{code}` changed its values, and no version number moved",
        zh="第 {line} 行 `{code}` 改了它的值，而版本号没有变",
    )
    changed_apart = LocalText(
        en="Line {line} `{code}` changed {tensor} from version {before} to {after}, which no check "
        "saw: what was saved has the same memory and a version number of its own",
        zh="第 {line} 行 `{code}` 把 {tensor} 从版本 {before} 改到了版本 {after}，而没有检查看到："
        "保存的张量用的是同一块内存，版本号却是另算的",
    )
    more_writes = LocalText(
        en="; {count} more followed, the last on line {line}",
        zh="，之后还有 {count} 次写入，最后一次在第 {line} 行",
    )
    needed = LocalText(
        en="; backward on line {line} needed version {version}.",
        zh="；第 {line} 行的反向传播需要的是版本 {version}。",
    )
    needed_inside = LocalText(
        en="; the backward of {name}, on line {line}, needed version {version}.",
        zh="；{name} 的 backward（第 {line} 行）需要的是版本 {version}。",
    )
    used = LocalText(
        en="; backward on line {line} used the changed values.",
        zh="；第 {line} 行的反向传播用的是改过的值。",
    )
    delivered = LocalText(
        en="; backward on line {line} delivered something else.",
        zh="；第 {line} 行的反向传播得到的是另一个结果。",
    )
    written_item = LocalText(
        en="Line {line} `{code}` wrote {tensor}, and could not store it back.",
        zh="第 {line} 行 `{code}` 已经写了 {tensor}，但存不回去。",
    )
    made_in_inference = LocalText(
        en="Line {line} `{code}` made {tensor} in inference mode.",
        zh="第 {line} 行 `{code}` 在推理模式里创建了 {tensor}。",
    )
    switched_off = LocalText(
        en="Line {line} `{code}` switches gradients off.",
        zh="第 {line} 行 `{code}` 关闭了梯度记录。",
    )
    changed_packed = LocalText(
        en="Line {line} `{code}` wrote to memory in which the hooks still kept a saved tensor",
        zh="第 {line} 行 `{code}` 写入的内存中，钩子还存着另一个张量",
    )
    given_back = LocalText(
        en="Line {line} `{code}`: these hooks gave back other values than they were given. They "
        "keep two tensors in one place.",
        zh="第 {line} 行 `{code}`：这些钩子取回的值与存入的不同，它们把两个张量存在了同一处。",
    )
    untracked = LocalText(
        en="Line {line} `{code}` is not recorded: nothing that it gives to the checkpoint requires "
        "grad.",
        zh="第 {line} 行 `{code}` 没有被记录：传给 checkpoint 的张量都不需要梯度。",
    )
    untracked_leaves = LocalText(en="No gradient arrives at {names}.", zh="{names} 得不到梯度。")
    untracked_meaning = LocalText(
        en="With `use_reentrant=True`, a checkpoint is a part of the graph only if a tensor "
        "given to it requires grad, whatever the weights inside need: they get no gradient. "
        "Use `use_reentrant=False`.",
        zh="`use_reentrant=True` 时，只有传入的张量需要梯度，checkpoint 才会成为计算图的一部分；"
        "其中的权重是否需要梯度并不起作用，它们得不到梯度。请用 `use_reentrant=False`。",
    )
    lost_graph = LocalText(
        en="Line {line} `{code}` is where the graph ends: what it made has no history.",
        zh="计算图在第 {line} 行 `{code}` 处中断：这一行得到的张量没有来历。",
    )
    base_written = LocalText(
        en="Line {line} `{code}` wrote to what the view is a view of.",
        zh="第 {line} 行 `{code}` 写了这个视图的基张量。",
    )
    by_op = LocalText(en=" It was written by {op}.", zh="写它的是 {op}。")
    by_module = LocalText(
        en=" It was written by {path}, the {name} made on line {made}.",
        zh="写它的是第 {made} 行创建的 {name}：{path}。",
    )
    by_hook = LocalText(
        en=" It was written by a hook on {path}, the {name} made on line {made}.",
        zh="写它的是注册在 {path} 上的钩子；它是第 {made} 行创建的 {name}。",
    )
    of_module = LocalText(
        en=" That was {path}, the {name} made on line {made}.",
        zh="那是第 {made} 行创建的 {name}：{path}。",
    )
    full_stop = LocalText(en=".", zh="。")
    no_write_seen = LocalText(
        en="No write was seen that did it. Of storages above 32 KiB only both ends are compared "
        "from line to line, so a write between them through `.data` or NumPy, which nothing "
        "counts, is not seen. Nor are lines that run in threads of the program's own.",
        zh="没有看到造成它的写入。超过 32 KiB 的存储逐行只比较两端，"
        "所以经由 `.data` 或 NumPy 写在中间的内容（没有任何计数）看不到；"
        "程序自己的线程里运行的行也看不到。",
    )
    needed_alone = LocalText(
        en="Backward on line {line} `{code}` found a saved tensor at another version. "
        "Who saved it and who changed it is out of sight.",
        zh="第 {line} 行 `{code}` 的反向传播发现某个保存的张量版本不符。"
        "是谁保存、谁改动的，从这里看不到。",
    )
    freed_first = LocalText(
        en="Line {line} `{code}` ran backward through this graph first, "
        "and freed what its nodes had saved.",
        zh="第 {line} 行 `{code}` 已经先对这张计算图做过反向传播，并释放了保存的张量。",
    )
    freed_again = LocalText(
        en="Line {line} `{code}` needed it again.", zh="第 {line} 行 `{code}` 又要用到它。"
    )
    refused = LocalText(
        en="Line {line} `{code}` tried to write to {tensor}; torch refused before anything "
        "was changed.",
        zh="第 {line} 行 `{code}` 想写 {tensor}；torch 在改动任何内容之前就拒绝了。",
    )
    raised_at = LocalText(
        en="Line {line} `{code}` raised it.", zh="第 {line} 行 `{code}` 引发了这个错误。"
    )
    warned_at = LocalText(
        en="Line {line} `{code}` was warned of.", zh="第 {line} 行 `{code}` 引起了一条警告。"
    )
    read_grad = LocalText(
        en="Line {line} `{code}` read `.grad` of {tensor}, which is not a leaf.",
        zh="第 {line} 行 `{code}` 读取了 {tensor} 的 `.grad`，而它不是叶子张量。",
    )
    lost_at = LocalText(
        en="Line {line} `{code}` bound {tensor} to a new tensor: "
        "the name no longer means the leaf.",
        zh="第 {line} 行 `{code}` 让 {tensor} 指向了新张量：这个名字不再是那个叶子张量。",
    )
    lost_needed = LocalText(
        en="Line {line} `{code}` looked for its gradient.",
        zh="第 {line} 行 `{code}` 去找它的梯度。",
    )
    got = LocalText(
        en="{tensor}.grad came out as {got}, where {true} is what the saved values give.",
        zh="得到的 {tensor}.grad 是 {got}，按保存时的值则应当是 {true}。",
    )
    got_output = LocalText(
        en="{tensor} came out as {got}, where {true} is what the saved values give.",
        zh="得到的 {tensor} 是 {got}，按保存时的值则应当是 {true}。",
    )
    got_executed = LocalText(
        en="{tensor}.grad came out as {got}, where {true} is the true gradient.",
        zh="得到的 {tensor}.grad 是 {got}，而真正的梯度是 {true}。",
    )
    got_executed_output = LocalText(
        en="{tensor} came out as {got}, where {true} is the true gradient.",
        zh="得到的 {tensor} 是 {got}，而真正的梯度是 {true}。",
    )


class OutcomeTexts:
    """How a run ended, where there is no verdict for it, or beside it."""

    completed_unasked = LocalText(
        en="The program ran to its end. It asked for no gradient.",
        zh="程序正常结束，没有求任何梯度。",
    )
    completed_right = LocalText(
        en="The program ran to its end, and every gradient is right.",
        zh="程序正常运行结束，所有梯度都是正确的。",
    )
    completed = LocalText(en="The program ran to its end.", zh="程序正常运行结束。")
    completed_verifying = LocalText(
        en="The program ran to its end. Whether its gradients are right is being checked.",
        zh="程序正常运行结束。正在核对梯度是否正确。",
    )
    not_reproducible = LocalText(
        en="The program ran to its end. Whether its gradients are right can't be told: {reason}",
        zh="程序正常运行结束。无法判断梯度是否正确：{reason}",
    )
    raised = LocalText(en="{exception}: {message}", zh="{exception}: {message}")
    other_process = LocalText(
        en="What runs in processes of its own is not looked into; `nprocs=1` runs in this one.",
        zh="在其他进程中运行的代码不会被查看；`nprocs=1` 则在本进程中运行。",
    )
    not_autograd = LocalText(en="This is not about autograd.", zh="这与 autograd 无关。")
    not_autograd_through = LocalText(
        en="This is not about autograd. It was raised through {chain}.",
        zh="这与 autograd 无关。调用过程：{chain}。",
    )
    no_input = LocalText(
        en="A program's standard input is what is piped to `explain` or `run`, and else empty.",
        zh="程序的标准输入是用管道传给 `explain` 或 `run` 的内容；没有则为空。",
    )
    timed_out = LocalText(
        en="Still running after {seconds} s, so it was stopped. Look for a loop that never ends, "
        "or make the work smaller.",
        zh="运行了 {seconds} 秒还没有结束，因此被停止。请检查有没有死循环，或减小计算量。",
    )
    stopped_steps = LocalText(
        en="Stopped after {value} lines: more are not recorded. "
        "Make the loops shorter to see the end.",
        zh="运行了 {value} 行后停止：再多就不记录了。把循环改短，才能看到结尾。",
    )
    stopped_bytes = LocalText(
        en="Stopped after {value} bytes of recorded steps: more are not kept in memory. "
        "Make tensors smaller, or loops shorter, to see the end.",
        zh="运行记录达到 {value} 字节后停止：不再保留更多。把张量改小或循环改短，才能看到结尾。",
    )
    stopped_memory = LocalText(
        en="Stopped because a process of it held more than {value} bytes in memory. "
        "In `explain`, --memory GB sets another limit.",
        zh="有一个进程占用的内存超过 {value} 字节，因此被停止。"
        "在 `explain` 中，可用 --memory GB 设置其他上限。",
    )
    stopped_processes = LocalText(
        en="Stopped because it had more than {value} processes at once. All of them were ended.",
        zh="同时运行的进程超过 {value} 个，因此被停止；这些进程都已结束。",
    )
    crashed_exit = LocalText(
        en="The process left by itself with exit code {code}, as `os._exit` does. "
        "What it had done until then is kept.",
        zh="进程自行退出，退出码 {code}（例如调用了 `os._exit`）。之前的步骤都保留着。",
    )
    crashed_signal = LocalText(
        en="The process was killed by {name}. What it had done until then is kept.",
        zh="进程被信号 {name} 终止。之前的步骤都保留着。",
    )
    crashed_segfault = LocalText(
        en="The process crashed ({name}): it touched memory that is not its own. "
        "What it had done until then is kept.",
        zh="进程崩溃（{name}）：访问了不属于它的内存。之前的步骤都保留着。",
    )
    crashed_killed = LocalText(
        en="The process was killed ({name}), perhaps because memory ran out. "
        "What it had done until then is kept.",
        zh="进程被强行终止（{name}），可能是内存不足。之前的步骤都保留着。",
    )
    worker_died = LocalText(
        en="The process that runs programs died, and this run with it. A new one is being started: "
        "run the program again.",
        zh="负责运行程序的进程意外终止，这次运行也随之中断。新的进程正在启动，请重新运行。",
    )
    cancelled = LocalText(
        en="This run was cancelled. Run the program again.", zh="这次运行已取消，请重新运行。"
    )
    recorder_fault = LocalText(
        en="inplace-tui itself failed {count:time|times} while it watched, so the steps may lack "
        "something. Please report it: {fault}",
        zh="inplace-tui 自己在观察时出错 {count} 次，步骤可能不完整。请反馈：{fault}",
    )
    off_at = LocalText(
        en="Recording was switched off at line {line}: by the program, or by a signal handler that "
        "raised while a line was being recorded. What ran after it is not shown.",
        zh="记录在第 {line} 行被关闭：由程序自己，或由记录一行时抛出异常的信号处理函数。"
        "此后运行的内容没有显示。",
    )
    was_at = LocalText(
        en="It was at line {line} `{code}`.", zh="当时正在运行第 {line} 行 `{code}`。"
    )
    had_written = LocalText(en="That line had written: {words}", zh="这一行已经输出：{words}")
    last_words = LocalText(en="Its last words: {words}", zh="它最后的输出：{words}")
    syntax = LocalText(
        en="Nothing ran: the program can't be parsed. "
        "Line {line} `{code}` is where parsing failed.",
        zh="程序无法解析，因此没有运行任何一行。解析在第 {line} 行 `{code}` 处失败。",
    )
    too_deep = LocalText(
        en="Nothing ran: the program is nested too deeply for Python to compile.",
        zh="程序嵌套过深，Python 无法编译，因此没有运行任何一行。",
    )


STOPPED = {
    "steps": OutcomeTexts.stopped_steps,
    "bytes": OutcomeTexts.stopped_bytes,
    "memory": OutcomeTexts.stopped_memory,
    "processes": OutcomeTexts.stopped_processes,
}
"""By the limit that was hit."""

SIGNALS = {
    "SIGSEGV": OutcomeTexts.crashed_segfault,
    "SIGBUS": OutcomeTexts.crashed_segfault,
    "SIGKILL": OutcomeTexts.crashed_killed,
}
"""By the signal that ended the process, where there is more to say than its name."""
