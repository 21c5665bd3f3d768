"""What each outcome means, and the sentences that say who did it."""

from __future__ import annotations

from inplace_tui.model.lesson import LocalText

MEANINGS = {
    "leaf-modified": LocalText(
        en="A leaf that requires grad can't be written in place while autograd records: "
        "its `.grad` belongs to the value you gave it. Write under `torch.no_grad()`, "
        "or compute a new tensor.",
        zh="autograd 记录运算时，不能原地修改需要梯度的叶子张量：它的 `.grad` 属于你最初给它的值。"
        "请在 `torch.no_grad()` 里写，或者计算出一个新张量。",
    ),
    "leaf-view-modified": LocalText(
        en="A view shares the leaf's memory, so writing to it writes to the leaf, "
        "and a leaf that requires grad can't be written while autograd records.",
        zh="视图与叶子张量共享内存，写视图就是写叶子；"
        "autograd 记录运算时，需要梯度的叶子不能被写。",
    ),
    "saved-tensor-modified": LocalText(
        en="A node saved this tensor for backward, and it was written in place before backward "
        "used it. Torch compares version numbers and refuses.",
        zh="某个节点为反向传播保存了这个张量，但在用到之前它被原地修改了。"
        "torch 比对版本号后拒绝计算。",
    ),
    "saved-tensor-detached": LocalText(
        en="A node saved this tensor for backward, and `detach_()` then cut it out of the graph. "
        "Use `detach()`, which makes a new tensor.",
        zh="某个节点为反向传播保存了这个张量，之后它被 `detach_()` 从计算图中切了出来。"
        "请用会产生新张量的 `detach()`。",
    ),
    "no-grad-fn": LocalText(
        en="Backward was called on something that no recorded operation made: "
        "nothing it was computed from requires grad, or `detach()` or `no_grad` cut it off.",
        zh="对一个没有计算图的张量调用了 backward：它的来源都不需要梯度，"
        "或者图被 `detach()` 或 `no_grad` 切断了。",
    ),
    "silently-wrong": LocalText(
        en="Nothing was raised, and the gradient is wrong: backward used memory "
        "that a write had changed without moving the version number.",
        zh="没有报错，但梯度是错的：反向传播用到的内存被改过，而版本号没有变。",
    ),
    "multi-output-view-modified": LocalText(
        en="This tensor is one of several views made by one call (`split`, `unbind`, `chunk`). "
        "Autograd can't record a write to only one of them.",
        zh="这个张量是一次调用（`split`、`unbind`、`chunk`）得到的多个视图之一，"
        "autograd 无法记录只写其中一个的操作。",
    ),
    "no-grad-view-modified": LocalText(
        en="The view was made under `no_grad` and is written while autograd records. "
        "Do both inside the block, or both outside.",
        zh="这个视图是在 `no_grad` 里创建的，却在 autograd 记录运算时被写。"
        "两步应都放在块内，或都放在块外。",
    ),
    "inference-view-modified": LocalText(
        en="The view was made in inference mode and is written in normal mode. "
        "Do both inside the block, or both outside.",
        zh="这个视图是在 inference mode 里创建的，却在普通模式下被写。"
        "两步应都放在块内，或都放在块外。",
    ),
    "custom-function-view-modified": LocalText(
        en="A custom Function returned this view; writing to it would bypass the Function's own "
        "backward. Clone it first.",
        zh="这个视图由自定义 Function 返回；写它会绕过该 Function 自己的 backward。请先 clone。",
    ),
    "view-detached-in-place": LocalText(
        en="`detach_()` can't be used on a view: its base would still be in the graph. "
        "Use `detach()`.",
        zh="不能对视图用 `detach_()`：它的基张量仍在计算图里。请用 `detach()`。",
    ),
    "graph-freed": LocalText(
        en="The first backward freed what the nodes had saved, so a second one through the same "
        "graph has nothing to compute with.",
        zh="第一次反向传播已经释放了节点保存的张量，再次通过同一张计算图时就没有东西可算了。",
    ),
    "backward-not-a-scalar": LocalText(
        en="Backward starts from one number. For several, say with which weights: "
        "`y.backward(gradient=...)`, or reduce them first, as `y.sum()` does.",
        zh="反向传播要从一个标量开始。若有多个元素，请给出权重：`y.backward(gradient=...)`，"
        "或先归约，例如 `y.sum()`。",
    ),
    "inference-tensor-saved": LocalText(
        en="A tensor made in inference mode has no version counter, so backward could not check "
        "it. Clone it outside the block.",
        zh="inference mode 里创建的张量没有版本号，反向传播无法检查它。请在块外 clone 一份。",
    ),
    "inference-tensor-modified": LocalText(
        en="A tensor made in inference mode may be written only there. Clone it first.",
        zh="inference mode 里创建的张量只能在其中被写。请先 clone。",
    ),
    "dtype-not-writable": LocalText(
        en="An in-place operation keeps the dtype of what it writes to, and the result does not "
        "fit into it.",
        zh="原地操作不会改变被写张量的 dtype，而计算结果放不进这个 dtype。",
    ),
    "shape-not-writable": LocalText(
        en="An in-place operation keeps the shape of what it writes to, and the result has "
        "another one.",
        zh="原地操作不会改变被写张量的形状，而计算结果的形状与它不符。",
    ),
    "memory-overlaps": LocalText(
        en="Several elements of the written tensor lie on one place in memory, so the result "
        "would depend on the order of writing. Clone it first.",
        zh="被写张量的多个元素落在同一处内存，结果会取决于写入顺序。请先 clone。",
    ),
    "integer-gradient": LocalText(
        en="Only floating point and complex tensors can require grad: integers have no derivative.",
        zh="只有浮点和复数张量才能要求梯度：整数没有导数。",
    ),
    "no-derivative": LocalText(
        en="Torch ran the operation forward and has no derivative for it, "
        "or none for its in-place form.",
        zh="torch 能做这个运算的前向计算，但没有它的导数，或没有它的原地形式的导数。",
    ),
    "non-leaf-grad-read": LocalText(
        en="Only leaves keep the gradient that arrives. For a tensor that was computed, call "
        "`retain_grad()` before backward.",
        zh="只有叶子张量会留下收到的梯度。对于计算得到的张量，"
        "请在 backward 之前调用 `retain_grad()`。",
    ),
    "leaf-lost": LocalText(
        en="The name was bound to a computed tensor. Gradients go on to the old leaf, which "
        "has no name any more; to update it in place, write under `torch.no_grad()`.",
        zh="这个名字改为指向一个计算得到的张量。梯度仍然流向原来的叶子，而它已经没有名字了；"
        "要原地更新它，请在 `torch.no_grad()` 里写。",
    ),
    "gradient-keeps-graph": LocalText(
        en="With `create_graph=True`, `.grad` has a graph of its own that leads back to the leaf: "
        "neither is freed until one lets go. Use `torch.autograd.grad` for gradients of gradients.",
        zh="用了 `create_graph=True` 时，`.grad` 带有通回该叶子张量的计算图，"
        "两者互相引用，内存无法释放。求梯度的梯度请用 `torch.autograd.grad`。",
    ),
    "typed-storage": LocalText(
        en="`storage()` makes a typed view of the memory, which torch is giving up. "
        "Use `untyped_storage()`, which has the same `data_ptr()`.",
        zh="`storage()` 返回的是带类型的存储，torch 正在弃用它。"
        "请用 `untyped_storage()`，它的 `data_ptr()` 是一样的。",
    ),
}
"""For each verdict: what it means, and what to do."""

SENTENCES = {
    "saved-result": LocalText(
        en="Line {line} `{code}` saved {tensor}{version} ({node} keeps its result).",
        zh="第 {line} 行 `{code}` 保存了{version}{tensor}（{node} 保存的是自己的结果）。",
    ),
    "saved-input": LocalText(
        en="Line {line} `{code}` saved {tensor}{version} ({node} keeps its input {slot}).",
        zh="第 {line} 行 `{code}` 保存了{version}{tensor}（{node} 保存的是输入 {slot}）。",
    ),
    "saved-unknown-line": LocalText(
        en="{node} saved {tensor}{version}.",
        zh="{node} 保存了{version}{tensor}。",
    ),
    "at-version": LocalText(en=" at version {version}", zh="版本 {version} 的 "),
    "a-tensor": LocalText(en="a tensor", zh="一个张量"),
    "changed": LocalText(
        en="Line {line} `{code}` changed it to version {after}",
        zh="第 {line} 行 `{code}` 把它改到了版本 {after}",
    ),
    "changed-named": LocalText(
        en="Line {line} `{code}` changed {tensor} from version {before} to {after}",
        zh="第 {line} 行 `{code}` 把 {tensor} 从版本 {before} 改到了版本 {after}",
    ),
    "changed-unseen": LocalText(
        en="Line {line} `{code}` changed its values, and no version number moved",
        zh="第 {line} 行 `{code}` 改了它的值，而版本号没有变",
    ),
    "more-writes": LocalText(
        en="; {count} more followed, the last on line {line}",
        zh="，之后还有 {count} 次写入，最后一次在第 {line} 行",
    ),
    "needed": LocalText(
        en="; backward on line {line} needed version {version}.",
        zh="；第 {line} 行的反向传播需要的是版本 {version}。",
    ),
    "used": LocalText(
        en="; backward on line {line} used the changed values.",
        zh="；第 {line} 行的反向传播用的是改过的值。",
    ),
    "by-op": LocalText(en=" It was written by {op}.", zh="写它的是 {op}。"),
    "full-stop": LocalText(en=".", zh="。"),
    "needed-alone": LocalText(
        en="Backward on line {line} `{code}` found a saved tensor at another version. "
        "The node that saved it hides it from view.",
        zh="第 {line} 行 `{code}` 的反向传播发现某个保存的张量版本不符。"
        "保存它的节点不让外部看到它。",
    ),
    "freed-first": LocalText(
        en="Line {line} `{code}` ran backward through this graph first, "
        "and freed what its nodes had saved.",
        zh="第 {line} 行 `{code}` 已经先对这张计算图做过反向传播，并释放了保存的张量。",
    ),
    "freed-again": LocalText(
        en="Line {line} `{code}` needed it again.",
        zh="第 {line} 行 `{code}` 又要用到它。",
    ),
    "refused": LocalText(
        en="Line {line} `{code}` tried to write to {tensor}; torch refused before anything "
        "was changed.",
        zh="第 {line} 行 `{code}` 想写 {tensor}；torch 在改动任何内容之前就拒绝了。",
    ),
    "raised-at": LocalText(
        en="Line {line} `{code}` raised it.", zh="第 {line} 行 `{code}` 引发了这个错误。"
    ),
    "warned-at": LocalText(
        en="Line {line} `{code}` was warned of.", zh="第 {line} 行 `{code}` 引起了一条警告。"
    ),
    "read-grad": LocalText(
        en="Line {line} `{code}` read `.grad` of {tensor}, which is not a leaf.",
        zh="第 {line} 行 `{code}` 读取了 {tensor} 的 `.grad`，而它不是叶子张量。",
    ),
    "lost-at": LocalText(
        en="Line {line} `{code}` bound {tensor} to a new tensor; the leaf lost its name there.",
        zh="第 {line} 行 `{code}` 让 {tensor} 指向了新张量，叶子就在这里失去了名字。",
    ),
    "lost-needed": LocalText(
        en="Line {line} `{code}` looked for its gradient.",
        zh="第 {line} 行 `{code}` 去找它的梯度。",
    ),
    "got": LocalText(
        en="{tensor}.grad came out as {got}; the saved values give {true}.",
        zh="得到的 {tensor}.grad 是 {got}；按保存时的值应为 {true}。",
    ),
    "got-output": LocalText(
        en="{tensor} came out as {got}; the saved values give {true}.",
        zh="得到的 {tensor} 是 {got}；按保存时的值应为 {true}。",
    ),
}
"""Who did it. `{code}` is a line of the program, quoted."""

OUTCOMES = {
    "completed-right": LocalText(
        en="The program ran to its end, and every gradient is right.",
        zh="程序正常运行结束，所有梯度都是正确的。",
    ),
    "completed": LocalText(en="The program ran to its end.", zh="程序正常运行结束。"),
    "completed-verifying": LocalText(
        en="The program ran to its end. Whether its gradients are right is being checked.",
        zh="程序正常运行结束。正在核对梯度是否正确。",
    ),
    "not-reproducible": LocalText(
        en="The program ran to its end. Whether its gradients are right can't be told: {reason}",
        zh="程序正常运行结束。无法判断梯度是否正确：{reason}",
    ),
    "raised": LocalText(en="{exception}: {message}", zh="{exception}：{message}"),
    "timed-out": LocalText(
        en="Still running after {seconds} s, so it was stopped. Look for a loop that never ends, "
        "or make the work smaller.",
        zh="运行了 {seconds} 秒还没有结束，因此被停止。请检查有没有死循环，或减小计算量。",
    ),
    "stopped": LocalText(
        en="Stopped after {value} lines: more are not recorded. "
        "Make the loops shorter to see the end.",
        zh="运行了 {value} 行后停止：再多就不记录了。把循环改短，才能看到结尾。",
    ),
    "stopped-other": LocalText(
        en="Stopped at the limit of {value} {limit}.", zh="达到上限（{limit}：{value}），已停止。"
    ),
    "crashed-exit": LocalText(
        en="The process left by itself with exit code {code}, as `os._exit` does. "
        "What it had done until then is kept.",
        zh="进程自行退出，退出码 {code}（例如调用了 `os._exit`）。之前的步骤都保留着。",
    ),
    "crashed-signal": LocalText(
        en="The process was killed by {name}. What it had done until then is kept.",
        zh="进程被信号 {name} 终止。之前的步骤都保留着。",
    ),
    "crashed-segfault": LocalText(
        en="The process crashed ({name}): it touched memory that is not its own. "
        "What it had done until then is kept.",
        zh="进程崩溃（{name}）：访问了不属于它的内存。之前的步骤都保留着。",
    ),
    "crashed-killed": LocalText(
        en="The process was killed ({name}), perhaps because memory ran out. "
        "What it had done until then is kept.",
        zh="进程被强行终止（{name}），可能是内存不足。之前的步骤都保留着。",
    ),
    "worker-died": LocalText(
        en="The process that runs programs died, and this run with it. A new one is being started: "
        "press R to run again.",
        zh="负责运行程序的进程意外终止，这次运行也随之中断。新的进程正在启动：按 R 重新运行。",
    ),
    "cancelled": LocalText(
        en="This run was cancelled. Press R to run again.", zh="这次运行已取消。按 R 重新运行。"
    ),
    "recorder-fault": LocalText(
        en="inplace-tui itself failed {count} times while it watched, so the steps may lack "
        "something. Please report it: {fault}",
        zh="inplace-tui 自己在观察时出错 {count} 次，步骤可能不完整。请反馈：{fault}",
    ),
    "was-at": LocalText(
        en="It was at line {line} `{code}`.", zh="当时正在运行第 {line} 行 `{code}`。"
    ),
    "last-words": LocalText(en="Its last words: {words}", zh="它最后的输出：{words}"),
    "syntax": LocalText(
        en="Nothing ran: the program can't be parsed. "
        "Line {line} `{code}` is where parsing failed.",
        zh="程序无法解析，因此没有运行任何一行。解析在第 {line} 行 `{code}` 处失败。",
    ),
}
"""How a run ended, where there is no verdict for it, or beside it."""
