"""What the history of runs says, and the comparison of two of them."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText


class HistoryTexts:
    """The history of runs, and the comparison of two."""

    # The list.
    history = LocalText(en="Runs of this session", zh="本次的运行记录")
    lead = LocalText(
        en="Enter shows it again · Space marks two to compare · Esc closes",
        zh="Enter 再次查看 · 空格标记两次以对比 · Esc 关闭",
    )
    lead_short = LocalText(
        en="Enter shows · Space marks · Esc back", zh="Enter 查看 · 空格标记 · Esc 关闭"
    )
    marked_one = LocalText(
        en="{number} marked · mark another · Esc back", zh="第 {number} 次 · 再标记一次 · Esc 关闭"
    )
    none = LocalText(
        en="Nothing has run yet. Every run is kept here until you leave.",
        zh="还没有运行过。离开之前，每次运行都会留在这里。",
    )
    now = LocalText(en="shown now", zh="正在显示")
    seconds = LocalText(en="{seconds} s", zh="{seconds} 秒")
    live = LocalText(en="live", zh="实时")
    live_of = LocalText(en="live, the last of {count}", zh="实时，共 {count} 次中的最后一次")
    first = LocalText(en="the first that is kept", zh="保留的第一次")
    same_text = LocalText(en="the same text", zh="程序未改")
    changed = LocalText(en="line {line}: {before} → {after}", zh="第 {line} 行：{before} → {after}")
    added = LocalText(en="line {line} is new: {after}", zh="新增第 {line} 行：{after}")
    removed = LocalText(en="gone: {before}", zh="删去：{before}")
    blank = LocalText(en="(blank)", zh="（空行）")
    more = LocalText(en=" (+{count})", zh="（另有 {count} 处）")
    bounds = LocalText(
        en="Kept: the last {runs} runs, about {mib} MiB at most.",
        zh="最多保留最近 {runs} 次运行，约 {mib} MiB。",
    )
    dropped = LocalText(en="{count} older runs had to go.", zh="更早的 {count} 次已被清除。")
    one_dropped = LocalText(en="One older run had to go.", zh="更早的 1 次已被清除。")
    recalled = LocalText(
        en="Run {number} again, as it was recorded. {undo} in the editor takes its text back.",
        zh="第 {number} 次运行的记录，没有重新运行。在编辑器里按 {undo} 可恢复原来的程序。",
    )
    recalled_same = LocalText(
        en="Run {number} again, as it was recorded.", zh="第 {number} 次运行的记录，没有重新运行。"
    )
    # The comparison.
    compare = LocalText(
        en="Run {before} and run {after}: what changed",
        zh="第 {before} 次与第 {after} 次运行：变了什么",
    )
    compare_lead = LocalText(en="Esc leads back to the runs", zh="Esc 返回运行记录")
    text = LocalText(en="Program", zh="程序")
    text_same = LocalText(en="The text is the same.", zh="程序相同。")
    seeds = LocalText(
        en="Each run of this file draws random numbers of its own, unless the program sets a "
        "seed (torch.manual_seed).",
        zh="这个文件每次运行的随机数都不同，除非程序自己设了种子（torch.manual_seed）。",
    )
    diverged = LocalText(en="Where they diverged", zh="从哪里开始不同")
    ended = LocalText(en="How they ended", zh="如何结束")
    gradients = LocalText(en="Gradients", zh="梯度")
    output = LocalText(en="Output", zh="输出")
    tensors = LocalText(en="Tensors at the end", zh="结束时的张量")
    same = LocalText(en="the same", zh="相同")
    pair = LocalText(en="{label}:", zh="{label}：")
    pair_same = LocalText(en="{label}: the same ({text})", zh="{label}：相同（{text}）")
    alike = LocalText(en="{count} alike", zh="{count} 个相同")
    no_gradients = LocalText(en="none in either", zh="两次都没有")
    no_output = LocalText(en="none in either", zh="两次都没有")
    no_tensors = LocalText(en="none in either", zh="两次都没有")
    verdict = LocalText(en="verdict", zh="结论")
    no_verdict = LocalText(en="nothing to say", zh="无")
    message = LocalText(en="message", zh="错误信息")
    not_known = LocalText(en="the gradients are still being checked", zh="梯度还在核对中")
    no_gradient = LocalText(en="no gradient", zh="没有梯度")
    only_before = LocalText(en="only in run {number}", zh="只在第 {number} 次运行中有")
    apart = LocalText(en="largest difference {far}", zh="最大差 {far}")
    diverged_nowhere = LocalText(
        en="Nowhere: both recordings are alike from their first line to their last.",
        zh="没有不同：两次记录从第一行到最后一行都一样。",
    )
    diverged_unknown = LocalText(
        en="Not within the first {steps:,} steps; what follows was not compared.",
        zh="前 {steps:,} 步都相同，之后没有比较。",
    )
    diverged_lines = LocalText(
        en="Run {one} went on to line {line}, run {other} to line {there}.",
        zh="第 {one} 次运行走到第 {line} 行，第 {other} 次走到第 {there} 行。",
    )
    diverged_end = LocalText(
        en="Run {one} went on to line {line}; run {other} was over.",
        zh="第 {one} 次运行走到第 {line} 行，第 {other} 次已经结束。",
    )
    place = LocalText(en="Line {line}", zh="第 {line} 行")
    place_moved = LocalText(en="Line {line} (now {there})", zh="第 {line} 行（现为第 {there} 行）")
    diverged_raised = LocalText(
        en="{place} raised in one of them, or something else.", zh="{place}抛出的异常不同。"
    )
    diverged_output = LocalText(en="{place} wrote something else.", zh="{place}的输出不同。")
    diverged_tensor = LocalText(
        en="{place} left {name} otherwise: {key}.", zh="{place}之后 {name} 不同：{key}。"
    )
    diverged_only = LocalText(
        en="{place}: only one of them has {name}.", zh="{place}：只有一次运行里有 {name}。"
    )
    nothing = LocalText(en="nothing", zh="无")
