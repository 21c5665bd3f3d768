"""How a program comes out, in words: as a phrase behind "it", and as an answer to choose."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.run.ending import Ending

ENDINGS = {
    Ending.RIGHT: LocalText("runs, and every gradient is right", "正常运行，梯度都正确"),
    Ending.WRONG: LocalText("runs, and a gradient is silently wrong", "正常运行，但梯度悄悄错了"),
    Ending.RUNS: LocalText("runs to its end", "运行到底"),
    Ending.NOT_JUDGED: LocalText(
        "runs; whether its gradients are right can't be told", "正常运行；无法判断梯度是否正确"
    ),
    Ending.RAISES_BEFORE: LocalText("raises outside of backward", "在反向传播之外报错"),
    Ending.RAISES_IN_BACKWARD: LocalText("raises in backward", "在反向传播中报错"),
    Ending.TIMED_OUT: LocalText("does not end in time", "没有在时限内结束"),
    Ending.STOPPED: LocalText("runs into a limit", "达到运行上限"),
    Ending.CRASHED: LocalText("crashes", "崩溃"),
    Ending.CANCELLED: LocalText("is cancelled", "已取消"),
}

ANSWERS = {
    Ending.RIGHT: LocalText("Runs, and every gradient is right", "正常运行，所有梯度都正确"),
    Ending.WRONG: LocalText("Runs, but a gradient is silently wrong", "正常运行，但有梯度悄悄错了"),
    Ending.RAISES_BEFORE: LocalText("Raises outside of `backward()`", "在 `backward()` 之外报错"),
    Ending.RAISES_IN_BACKWARD: LocalText("Raises in `backward()`", "在 `backward()` 里报错"),
}
RUNS = LocalText("Runs to its end", "正常运行到结束")
"""Where gradients are not asked for, or can't be judged."""
