"""What each template of the sandbox is called, and what it shows."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText

NAMES = {
    "leaf": LocalText(en="A leaf, updated in place", zh="原地更新叶子张量"),
    "saved": LocalText(en="A saved result, written", zh="改写已保存的结果"),
    "view": LocalText(en="View and base", zh="视图与基张量"),
    "data": LocalText(en="A write through .data", zh="通过 .data 写入"),
    "detach": LocalText(en="A write through detach()", zh="通过 detach() 写入"),
    "sgd": LocalText(en="Training with SGD", zh="用 SGD 训练"),
    "gan": LocalText(en="GAN: two optimizers", zh="GAN：两个优化器"),
    "hooks": LocalText(en="Hooks and retain_grad", zh="钩子与 retain_grad"),
    "function": LocalText(en="autograd.Function", zh="自定义 autograd.Function"),
    "checkpoint": LocalText(en="Checkpoint", zh="检查点（checkpoint）"),
    "modes": LocalText(en="no_grad, inference_mode", zh="no_grad 与 inference_mode"),
    "empty": LocalText(en="Empty", zh="空白"),
}

ABOUT = {
    "leaf": LocalText(
        en="Allowed under no_grad, refused without it.", zh="在 no_grad 下允许，离开它就会被拒绝。"
    ),
    "saved": LocalText(
        en="exp() keeps its result, add_ changes it.",
        zh="exp() 保存了自己的结果，add_ 在反向传播之前改了它。",
    ),
    "view": LocalText(
        en="A write to a row reaches base and graph.",
        zh="写视图的一行，基张量、版本号和计算图都会变。",
    ),
    "data": LocalText(
        en="No version moves: silently wrong.", zh="版本号不变，没有报错，梯度却错了。"
    ),
    "detach": LocalText(
        en="The counter is shared: backward notices.", zh="它共享内存和版本号，所以反向传播会发现。"
    ),
    "sgd": LocalText(
        en="step() writes every parameter in place.", zh="三步训练，step() 会原地写入每个参数。"
    ),
    "gan": LocalText(
        en="One step() before the other's backward.", zh="一个 step() 夹在另一个的前向和反向之间。"
    ),
    "hooks": LocalText(en="A hook changes the gradient on its way.", zh="钩子在途中改动了梯度。"),
    "function": LocalText(
        en="Writes its input and marks it dirty.", zh="它原地写入输入，并用 mark_dirty 声明。"
    ),
    "checkpoint": LocalText(
        en="Backward runs the block again.", zh="不保存中间结果，反向传播时重新计算。"
    ),
    "modes": LocalText(
        en="Two ways out of the graph, one way back.", zh="两种离开计算图的方式，只有一种回得来。"
    ),
    "empty": LocalText(en="One import, and the rest is yours.", zh="只有一行 import，其余由你写。"),
}
"""One line each."""


class TemplateTexts:
    """The dialog of templates."""

    templates = LocalText(en="Start from a program", zh="从一个程序开始")
    lead = LocalText(en="Enter into the editor · Esc closes", zh="Enter 写入编辑器 · Esc 关闭")
    put = LocalText(
        en="{name} is in the editor; {undo} there takes it back.",
        zh="“{name}”已写入编辑器，在编辑器里按 {undo} 可撤销。",
    )
