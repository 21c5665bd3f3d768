"""What each verdict means, and what to do."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText

MEANINGS = {
    "leaf-modified": LocalText(
        en="A leaf that requires grad can't be written in place while autograd records: "
        "the write would make it a computed result, no longer the leaf that gets `.grad`. Write "
        "under `torch.no_grad()`, or compute a new tensor.",
        zh="autograd 记录运算时，不能原地修改需要梯度的叶子张量：写入会使它变成计算结果，"
        "不再是得到 `.grad` 的那个叶子。"
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
        en="Nothing was raised, and the gradient is wrong: it is not the gradient of what the "
        "forward pass computed, and no check saw that.",
        zh="没有报错，但梯度是错的：它不是前向计算所对应的梯度，而没有任何检查发现这一点。",
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
        zh="这个视图是在推理模式里创建的，却在普通模式下被写。两步应都放在块内，或都放在块外。",
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
        zh="推理模式里创建的张量没有版本号，反向传播无法检查它。请在块外 clone 一份。",
    ),
    "inference-tensor-modified": LocalText(
        en="A tensor made in inference mode may be written only there. Clone it first.",
        zh="推理模式里创建的张量只能在其中被写。请先 clone。",
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
        en="The name was bound to a computed tensor. Gradients go on to the leaf, not "
        "to what the name means now; to update the leaf, write to it under `torch.no_grad()`.",
        zh="这个名字改为指向一个计算得到的张量。梯度仍然流向原来的叶子张量，而不是这个名字现在所指的张量；"
        "要更新那个叶子，请在 `torch.no_grad()` 里写入。",
    ),
    "gradient-keeps-graph": LocalText(
        en="With `create_graph=True`, `.grad` has a graph of its own that leads back to the leaf: "
        "they refer to each other, so neither is freed. For gradients of gradients use "
        "`torch.autograd.grad`.",
        zh="用了 `create_graph=True` 时，`.grad` 带有通回该叶子张量的计算图，"
        "两者互相引用，内存无法释放。求梯度的梯度请用 `torch.autograd.grad`。",
    ),
    "typed-storage": LocalText(
        en="`storage()` makes a typed view of the memory, which is deprecated. "
        "Use `untyped_storage()`, which has the same `data_ptr()`.",
        zh="`storage()` 返回的是带类型的存储，torch 正在弃用它。"
        "请用 `untyped_storage()`，它的 `data_ptr()` 是一样的。",
    ),
    "out-argument-requires-grad": LocalText(
        en="`out=` writes a result into a tensor that is there already, and autograd has no "
        "derivative for that. Use the operation without `out=`, or write under `torch.no_grad()`.",
        zh="`out=` 把结果写进已有的张量，autograd 没有它的导数。"
        "请去掉 `out=`，或在 `torch.no_grad()` 里写。",
    ),
    "tuple-item-written": LocalText(
        en="`+=` on an item does two things: it writes the tensor in place, and then stores it "
        "back. The write worked; the tuple refused to store. Name the tensor first.",
        zh="对元素用 `+=` 要做两件事：先原地写张量，再把它存回去。写已经成功，"
        "存回时元组拒绝了。请先给这个张量取个名字。",
    ),
    "resize-requires-grad": LocalText(
        en="Resizing has no derivative, so a tensor that requires grad can't be resized in place. "
        "Make a new one of that size.",
        zh="改变大小没有导数，因此不能原地改变需要梯度的张量的大小。请新建一个所需大小的张量。",
    ),
    "swap-tensors-held": LocalText(
        en="`swap_tensors` exchanges two tensors altogether, and something else still holds one "
        "of them, such as a graph that saved it. Swap before the forward pass, or copy the values.",
        zh="`swap_tensors` 会把两个张量整个对换，而其中一个还被别处引用，例如保存了它的计算图。"
        "请在前向计算之前对换，或只复制数值。",
    ),
    "requires-grad-of-result": LocalText(
        en="Whether a computed tensor requires grad follows from what it was computed from. "
        "To cut it off, use `detach()`, which makes a new tensor.",
        zh="计算得到的张量是否需要梯度，由它的来源决定。要切断，请用会产生新张量的 `detach()`。",
    ),
    "deepcopy-of-result": LocalText(
        en="Only leaves can be deep-copied: a computed tensor would need its graph copied too. "
        "Use `clone()`, with `detach()` before it if the copy shall be a leaf.",
        zh="只有叶子张量能做深拷贝：对计算得到的张量，还得复制它的计算图。请用 `clone()`；"
        "若想得到叶子，先 `detach()`。",
    ),
    "needs-detach": LocalText(
        en="What numpy, plain Python or another process writes, autograd does not see, so a tensor "
        "that requires grad is not handed out. Say that it may be cut off: `detach()` first.",
        zh="numpy、普通 Python 或别的进程的写入，autograd 看不到，"
        "因此需要梯度的张量不会直接交出去。请先用 `detach()` 表明可以切断。",
    ),
    "input-not-in-graph": LocalText(
        en="The gradient was asked for with respect to a tensor from which the result was not "
        "computed. Look for a line that bound its name to another tensor, or pass "
        "`allow_unused=True`.",
        zh="所求梯度的张量并没有参与计算结果。请查找让这个名字改指别的张量的那一行，"
        "或传入 `allow_unused=True`。",
    ),
    "gradient-misfits": LocalText(
        en="A gradient is another tensor, of the shape and the dtype of the one that it belongs "
        "to. What was given here is not.",
        zh="梯度是另一个张量，形状和 dtype 与所属的张量相同，而这里给出的不是。",
    ),
    "nan-in-backward": LocalText(
        en="Anomaly mode found that a derivative came out as NaN, such as that of `sqrt` at 0 "
        "times a gradient of 0. Keep the value away from that point, by `clamp` or a small term.",
        zh="异常检测发现某个导数是 NaN，例如 `sqrt` 在 0 处的导数乘以为 0 的梯度。"
        "请用 `clamp` 或加一个小量避开这个点。",
    ),
    "differentiated-twice": LocalText(
        en="This custom Function is marked `@once_differentiable`: its backward is not recorded, "
        "so there is no second derivative through it.",
        zh="这个自定义 Function 标了 `@once_differentiable`：它的 backward 不被记录，"
        "因此没有经过它的二阶导数。",
    ),
    "optimizer-needs-leaf": LocalText(
        en="An optimizer updates leaves, whose `.grad` is filled. A computed tensor has none: "
        "make it a leaf with `detach().requires_grad_()`.",
        zh="优化器更新的是叶子张量，它们的 `.grad` 会被填上。计算得到的张量没有梯度："
        "请用 `detach().requires_grad_()` 把它变成叶子。",
    ),
    "inference-tensor-requires-grad": LocalText(
        en="A tensor made in inference mode can never be a leaf that requires grad. "
        "Clone it outside the block first.",
        zh="推理模式里创建的张量不能成为需要梯度的叶子。请先在块外 clone 一份。",
    ),
    "inference-tensor-version": LocalText(
        en="A tensor made in inference mode has no version counter to read. "
        "Ask `is_inference()` first.",
        zh="推理模式里创建的张量没有版本号可读。请先用 `is_inference()` 判断。",
    ),
    "dirty-input-not-returned": LocalText(
        en="`mark_dirty` says that an input was written, and such an input must be returned: "
        "it becomes the result of the Function.",
        zh="`mark_dirty` 表示写了某个输入，而这样的输入必须作为输出返回：它成为 Function 的结果。",
    ),
    "ctx-needs-tensors": LocalText(
        en="`save_for_backward` and `mark_dirty` take the tensors of the Function only. "
        "Keep plain values on `ctx` as attributes.",
        zh="`save_for_backward` 和 `mark_dirty` 只接受张量。普通的值请作为属性存在 `ctx` 上。",
    ),
    "function-gradient-invalid": LocalText(
        en="A custom Function's backward must return one gradient for each input of forward, "
        "each of that input's shape, and None where there is none.",
        zh="自定义 Function 的 backward 要为 forward 的每个输入各返回一个梯度，形状与该输入相同；"
        "没有梯度的返回 None。",
    ),
    "hook-needs-leaf": LocalText(
        en="This hook runs after `.grad` was filled, and only leaves have theirs filled. "
        "Use `register_hook` for a computed tensor.",
        zh="这种钩子在 `.grad` 填好之后运行，而只有叶子张量的 `.grad` 会被填。"
        "对计算得到的张量请用 `register_hook`。",
    ),
    "hook-needs-grad": LocalText(
        en="No gradient will ever arrive at a tensor that does not require grad, so there is "
        "nothing to hook or to retain.",
        zh="不需要梯度的张量永远收不到梯度，没有可以挂钩子或保留的东西。",
    ),
    "pack-hook-wrote": LocalText(
        en="A pack hook is given the very tensor that is saved, and must not write it. "
        "Return a new tensor.",
        zh="pack 钩子拿到的就是被保存的张量本身，不能写它。请返回一个新张量。",
    ),
    "saved-hooks-disabled": LocalText(
        en="Hooks for saved tensors are forbidden here, by `disable_saved_tensors_hooks` or by a "
        "`torch.func` transform.",
        zh="这里禁止使用保存张量的钩子："
        "由 `disable_saved_tensors_hooks` 或 `torch.func` 变换禁止。",
    ),
    "mutation-context-left": LocalText(
        en="`allow_mutation_on_saved_tensors` keeps copies of what is overwritten, and drops them "
        "at the end of its block. Run backward inside the block.",
        zh="`allow_mutation_on_saved_tensors` 会保留被覆盖的值的副本，离开块时就丢弃。"
        "请在块内做反向传播。",
    ),
    "mutation-context-nested": LocalText(
        en="`allow_mutation_on_saved_tensors` covers everything inside it already and can't be "
        "nested.",
        zh="`allow_mutation_on_saved_tensors` 已经覆盖了块内的一切，不能嵌套。",
    ),
    "transform-captured-modified": LocalText(
        en="Inside a `torch.func` transform, a tensor from outside can't be written: what is "
        "differentiated must not get out that way. Pass it in, or return it with `has_aux=True`.",
        zh="在 `torch.func` 变换里不能写外面的张量：正在求导的值不能这样带出去。"
        "请把它作为参数传入，或用 `has_aux=True` 返回。",
    ),
    "vmap-inplace": LocalText(
        en="Under `vmap` the value is a whole batch, and the tensor that is written has no place "
        "for one. Pass the tensor in as a batch, or use the operation out of place.",
        zh="在 `vmap` 里，这个值是一整批，而被写的张量放不下一批。请把该张量也按批传入，"
        "或改用非原地的运算。",
    ),
    "vmap-random": LocalText(
        en="Shall every element of the batch get the same random numbers, or its own? "
        "`vmap` does not guess: pass `randomness='same'` or `'different'`.",
        zh="这一批里的每个元素应该用同样的随机数，还是各用各的？`vmap` 不会猜："
        "请传入 `randomness='same'` 或 `'different'`。",
    ),
    "sparse-unsupported": LocalText(
        en="Few operations know sparse tensors: this one does not, be it an optimizer or the "
        "addition that `weight_decay` makes. Use dense gradients, no decay, or an optimizer that "
        "knows sparse ones, as `SparseAdam` does.",
        zh="支持稀疏张量的运算不多，这里的优化器或 `weight_decay` 引入的加法就不支持。"
        "请用稠密梯度，不用 `weight_decay`，或改用支持稀疏梯度的优化器，例如 `SparseAdam`。",
    ),
    "sparse-uncoalesced": LocalText(
        en="The same index may still occur twice in this sparse tensor, so its values mean nothing "
        "by themselves. Call `coalesce()` first.",
        zh="这个稀疏张量里同一个下标可能出现多次，单独的值还没有意义。请先调用 `coalesce()`。",
    ),
    "zero-tensor-modified": LocalText(
        en="This is a ZeroTensor, as torch makes them inside derivatives: zeros that take no "
        "memory, so there is nothing to write to. Clone it, and write to the clone.",
        zh="这是 ZeroTensor，torch 在求导内部会用到它：它的零不占内存，也就没有可写的地方。"
        "请先 clone，再写副本。",
    ),
    "conjugate-pending": LocalText(
        en="`conj()` and `imag` copy nothing: the memory holds the values before the conjugation "
        "or the change of sign, and a bit says that it is still to be done. "
        "Have it done: `resolve_conj()` or `resolve_neg()` first.",
        zh="`conj()` 和 `imag` 并不复制：内存里仍是取共轭或变号之前的值，只用一个标志位记下还没做。"
        "请先用 `resolve_conj()` 或 `resolve_neg()` 把它做完。",
    ),
    "function-without-backward": LocalText(
        en="This custom Function has no method for what was asked: `backward` (or `vjp`) for a "
        "gradient, `jvp` for forward mode. Write it, as a static method.",
        zh="这个自定义 Function 缺少所需的方法：求梯度要有 `backward`（或 `vjp`），"
        "前向模式要有 `jvp`。请写成静态方法。",
    ),
    "legacy-function": LocalText(
        en="A custom Function is not made and then called, as a module is: its methods are static, "
        "the first argument is `ctx`, and it runs as `MyFunction.apply(x)`.",
        zh="自定义 Function 不像模块那样先创建对象再调用：它的方法是静态的，第一个参数是 `ctx`，"
        "要用 `MyFunction.apply(x)` 运行。",
    ),
    "input-needs-grad": LocalText(
        en="The gradient was asked for with respect to a tensor that does not require grad, so "
        "nothing was recorded for it. Call `requires_grad_()` on it before the forward pass.",
        zh="所求梯度的张量不需要梯度，所以没有为它记录任何东西。"
        "请在前向计算之前对它调用 `requires_grad_()`。",
    ),
    "hook-result-invalid": LocalText(
        en="What a hook returns takes the place of what it was given: a gradient of the same "
        "shape and dtype, or the tensor that was packed. To change nothing, return None from a "
        "hook on gradients.",
        zh="钩子的返回值会取代它收到的东西：形状和 dtype 相同的梯度，或当初打包的张量。"
        "梯度钩子若不想改动，请返回 None。",
    ),
    "parameter-replaced": LocalText(
        en="A parameter is a leaf that the optimizer knows, so a computed tensor can't take its "
        "name. Write its values under `torch.no_grad()`, or compute with a name of its own.",
        zh="参数是优化器认识的叶子张量，计算得到的张量不能占用它的名字。"
        "请在 `torch.no_grad()` 里写它的值，或给计算结果另取名字。",
    ),
    "checkpoint-differs": LocalText(
        en="Checkpointing runs the function again in backward, and this time it computed something "
        "else. It may depend on nothing that changes in between: a counter, a mode, a global.",
        zh="checkpoint 在反向传播时会重新运行这个函数，而这一次算的东西不一样。"
        "它不能依赖中途会变的东西，例如计数器、模式或全局变量。",
    ),
    "checkpoint-reentrant": LocalText(
        en="With `use_reentrant=True`, checkpointing runs a `backward()` of its own inside, which "
        "delivers to `.grad` only. Use `use_reentrant=False`.",
        zh="`use_reentrant=True` 时，checkpoint 会在内部自行调用 `backward()`，"
        "梯度只会写进 `.grad`。请用 `use_reentrant=False`。",
    ),
    "transform-needs-setup-context": LocalText(
        en="For `torch.func`, a custom Function's `forward` takes no `ctx`: what is to be kept is "
        "put there by a second static method, `setup_context(ctx, inputs, output)`.",
        zh="用于 `torch.func` 时，自定义 Function 的 `forward` 不带 `ctx`；要保存的东西"
        "由另一个静态方法 `setup_context(ctx, inputs, output)` 存入。",
    ),
    "transform-autograd-inside": LocalText(
        en="`torch.func` differentiates the function itself, so `backward()` and "
        "`requires_grad_()` have no place inside it. Use `torch.func.grad` or `vjp` there, or call "
        "them outside.",
        zh="`torch.func` 会自己对函数求导，函数里不能再用 `backward()` 和 `requires_grad_()`。"
        "请在里面改用 `torch.func.grad` 或 `vjp`，或把它们移到外面。",
    ),
    "vmap-needs-values": LocalText(
        en="Under `vmap` the function runs once for the whole batch, so it can't ask for the value "
        "of one element: no `item()`, no `if` on a tensor, no result whose size depends on values. "
        "Use `torch.where`.",
        zh="在 `vmap` 里，函数对整批只运行一次，问不到某一个元素的值：不能用 `item()`，"
        "不能用张量作 `if` 条件，结果的大小也不能取决于数值。请用 `torch.where`。",
    ),
    "numpy-missing": LocalText(
        en="Torch runs without numpy, except for what goes to numpy or comes from it. Install "
        "numpy, or use `tolist()`.",
        zh="没有 numpy 时 torch 也能运行，只是不能与 numpy 互换。请安装 numpy，或用 `tolist()`。",
    ),
}
"""For each verdict: what it means, and what to do."""
