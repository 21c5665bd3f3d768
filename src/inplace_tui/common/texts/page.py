"""The page of a run: what its controls are called."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText as T


class PageTexts:
    """Around the panels, which say what the program's own screen says."""

    step = T(en="Step {step} of {count}", zh="第 {step} / {count} 步")
    start = T(en="Before the first step of {count}", zh="第一步之前，共 {count} 步")
    controls = T(en="Steps", zh="步骤")
    first = T(en="Start", zh="开头")
    back = T(en="Back", zh="后退")
    next = T(en="Next", zh="下一步")
    last = T(en="End", zh="结尾")
    keys = T(
        en="Left and Right (or N and n) step, Home and End go to the ends.",
        zh="左右方向键（或 N 和 n）逐步移动，Home 和 End 到两端。",
    )
    left_out = T(
        en="The run has {count:,} steps; the last {kept:,} are here.",
        zh="这次运行共有 {count:,} 步，这里是最后 {kept:,} 步。",
    )
    gated = T(
        en="A question of this lesson is open: what it hides, and what follows, is not here.",
        zh="这一课还有没回答的问题：它隐藏的内容以及之后的步骤都不在这里。",
    )
    still = T(
        en="This is the last step. To go through all of them, the page needs JavaScript and a "
        "browser of 2023 or later.",
        zh="这里是最后一步。逐步查看需要 JavaScript 和 2023 年以后的浏览器。",
    )
    more = T(
        en="… {count:,} more rows: inplace-tui itself shows them all",
        zh="…… 还有 {count:,} 行，可在 inplace-tui 中查看",
    )
    made = T(en="Recorded by inplace-tui {version}.", zh="由 inplace-tui {version} 录制。")
