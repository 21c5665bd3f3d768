"""What is said of a tensor that was opened."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText as T


class ValueTexts:
    """A tensor that was opened."""

    title = T(en="Values of {name}", zh="{name} 的值")
    mode_values = T(en="values", zh="值")
    mode_step = T(en="change since the step before", zh="与上一步之差")
    mode_version = T(en="change by the last write", zh="最近一次写入的改变")
    mode_grad = T(en="with grad", zh="与 grad 对照")
    mode_grad_alone = T(en="grad", zh="grad")
    heat_on = T(
        en="Colours by value: blue below 0, orange above.", zh="按值着色：蓝色小于 0，橙色大于 0。"
    )
    heat_off = T(en="No colours by value.", zh="不按值着色。")
    nothing_odd = T(en="Every element is finite.", zh="所有元素都是有限数。")
    one_plane = T(
        en="It has no dimensions before the last two to choose from.",
        zh="最后两维之前没有可选的维度。",
    )
    gone = T(
        en="{name} is not there at this step. Step on, or close.",
        zh="这一步没有 {name}。可继续单步或关闭。",
    )
    hidden = T(
        en="▒▒ The values are hidden until the question is answered.",
        zh="▒▒ 回答问题之后才会显示这些值。",
    )
    question = T(en="A question waits: close this to answer it.", zh="有提问待回答：请先关闭此页。")
    empty = T(en="empty: shape {shape} has no elements", zh="空张量：形状 {shape} 没有元素")
    unreadable = T(en="⊘ {reason}", zh="⊘ {reason}")
    running = T(
        en="{count} elements were not all recorded: running the program again to step {step}…",
        zh="共 {count} 个元素，未全部记录：正在重新运行程序到第 {step} 步……",
    )
    running_sparse = T(
        en="Elements of this layout are not recorded: running the program again to step {step}…",
        zh="这种布局的元素不作记录：正在重新运行程序到第 {step} 步……",
    )
    ran = T(en="ran again to step {step}", zh="已重新运行到第 {step} 步")
    recorded = T(en="recorded whole", zh="完整记录")
    sample = T(
        en="What was recorded, the first {head} and the last {tail} of {count} elements:",
        zh="当时的记录（共 {count} 个元素，只有前 {head} 个和后 {tail} 个）：",
    )
    differs = T(
        en="The program does not repeat itself: run again, this tensor is another at step {step}.",
        zh="程序每次运行的结果不同：重新运行后，第 {step} 步的这个张量不一样。",
    )
    other_way = T(
        en="The program does not repeat itself: run again, it took another way at step {step}.",
        zh="程序每次运行的过程不同：重新运行时，第 {step} 步走了别的路径。",
    )
    ended_before = T(
        en="The program does not repeat itself: run again, it ended before step {step}.",
        zh="程序每次运行的过程不同：重新运行时，不到第 {step} 步就结束了。",
    )
    too_long = T(
        en="Run again, it did not come to this step within its {seconds:g} s.",
        zh="重新运行时，{seconds:g} 秒内没有到达这一步。",
    )
    no_view = T(
        en="Its values need another run, which here could change your files.",
        zh="读取这些值需要再次运行，而在这里那可能改动你的文件。",
    )
    went = T(
        en="The process that was run again has ended. Step, or open it again.",
        zh="重新运行的进程已经结束。请单步或重新打开。",
    )
    # Facts.
    version = T(en="version {version}", zh="版本 {version}")
    storage = T(en="storage {letter}", zh="存储 {letter}")
    stride = T(en="stride {stride}", zh="步幅 {stride}")
    offset = T(en="offset {offset}", zh="偏移 {offset}")
    contiguous = T(en="contiguous", zh="连续")
    scattered = T(en="not contiguous", zh="不连续")
    bytes = T(en="{count:byte|bytes}", zh="{count:,} 字节")
    view_of = T(en="view of {name}", zh="{name} 的视图")
    view = T(en="view", zh="视图")
    # Statistics.
    min = T(en="min", zh="最小")
    max = T(en="max", zh="最大")
    mean = T(en="mean", zh="均值")
    std = T(en="std", zh="标准差")
    norm = T(en="norm", zh="范数")
    median = T(en="median", zh="中位数")
    zeros = T(en="zeros", zh="零")
    unique = T(en="different", zh="不同值")
    odd = T(
        en="! {nan} NaN, {inf} inf, at {places}", zh="! {nan} 个 NaN，{inf} 个 inf，在 {places}"
    )
    of_finite = T(en="statistics of the finite ones", zh="统计只含有限数")
    absolute = T(en="statistics of |z|", zh="统计的是 |z|")
    counting = T(en="statistics {percent} %…", zh="统计中 {percent}%……")
    counting_soon = T(en="statistics…", zh="统计中……")
    changed = T(
        en="~ {changed} of {count} changed since step {step}",
        zh="~ 自第 {step} 步以来，{count} 个中有 {changed} 个改变",
    )
    unchanged = T(en="nothing changed since step {step}", zh="自第 {step} 步以来没有改变")
    since = T(en="since step {step}", zh="自第 {step} 步以来")
    not_before = T(
        en="{name} is new at this step: there is nothing to compare it with.",
        zh="{name} 是这一步才有的：没有可比较的。",
    )
    never_written = T(
        en="{name} was not written since it was made.", zh="{name} 产生之后没有被写过。"
    )
    no_grad = T(en="{name}.grad is None", zh="{name}.grad 为 None")
    before_unreadable = T(
        en="How it was before can't be read: {reason}", zh="之前的值无法读取：{reason}"
    )
    # The cell.
    byte = T(en="byte {byte} of storage {letter}", zh="存储 {letter} 的第 {byte} 字节")
    before = T(en="before {value}", zh="之前 {value}")
    grad = T(en="grad {value}", zh="grad {value}")
    same = T(en="the same", zh="不变")
    rows = T(en="rows {first}–{last} of {count}", zh="第 {first}–{last} 行，共 {count} 行")
    more_columns = T(en="… {count:more column|more columns}", zh="… 另有 {count:,} 列")
    on = T(en="`values {place}` goes on there", zh="输入“值 {place}”从那里继续")
    more = T(en="… {count:more row|more rows}", zh="… 另有 {count:,} 行")
    plane = T(en="{index}  {number}/{count}", zh="{index}  {number}/{count}")
