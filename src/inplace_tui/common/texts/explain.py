"""What `explain` says to people."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText
from inplace_tui.common.run.doubt import Reason

HEADS = {
    "right": LocalText(en="runs, and its gradients are right", zh="正常运行，梯度正确"),
    "runs": LocalText(
        en="runs; whether its gradients are right was not checked",
        zh="正常运行；没有检验梯度是否正确",
    ),
    "not_judged": LocalText(
        en="runs; whether its gradients are right can't be told",
        zh="正常运行；无法判断梯度是否正确",
    ),
    "no_backward": LocalText(en="runs; it asks for no gradient", zh="正常运行；程序没有求任何梯度"),
    "raises_before": LocalText(
        en="line {line} raises {type}, outside of any backward",
        zh="第 {line} 行抛出 {type}（不在反向传播中）",
    ),
    "raises_in_backward": LocalText(
        en="backward on line {line} raises {type}", zh="第 {line} 行的反向传播抛出 {type}"
    ),
    "caught": LocalText(
        en="runs, and catches {type}, which backward on line {line} raised",
        zh="正常运行，并捕获了第 {line} 行的反向传播抛出的 {type}",
    ),
    "wrong": LocalText(
        en="runs without an error, and a gradient is wrong", zh="没有报错，但有梯度是错的"
    ),
    "unrelated": LocalText(
        en="ends with {type}, which is not about autograd", zh="以 {type} 结束，与 autograd 无关"
    ),
    "other_process": LocalText(
        en="ends with {type}, for what was raised in another process",
        zh="以 {type} 结束，原因是另一个进程中的错误",
    ),
    "timed_out": LocalText(en="does not end in time", zh="没有在时限内结束"),
    "crashed": LocalText(en="its process died", zh="进程意外终止"),
    "stopped": LocalText(en="ran into a limit", zh="达到运行上限"),
}
"""What stands behind the file's name: the ending in a few words, by its word or what is special."""


class MarkTexts:
    """What stands beside the carets under a quoted line."""

    saved = LocalText(en="saved {tensor}{version}", zh="在这里保存了 {tensor}{version}")
    at = LocalText(en=" at version {version}", zh="（版本 {version}）")
    wrote = LocalText(
        en="wrote {tensor}: version {before} to {after}",
        zh="写了 {tensor}：版本 {before} 变为 {after}",
    )
    wrote_unseen = LocalText(
        en="wrote {tensor}, and no version number moved", zh="写了 {tensor}，版本号没有变"
    )
    refused = LocalText(en="may not write {tensor}", zh="不允许写 {tensor}")
    fault = LocalText(en="the line at fault: ", zh="出错的一行：")
    needed = LocalText(
        en="needs {tensor} at version {version}", zh="需要版本 {version} 的 {tensor}"
    )
    needed_it = LocalText(en="needs what was saved", zh="需要保存过的内容")
    used = LocalText(en="computes with the changed values", zh="用改过的值计算")
    part = LocalText(en="is part of the graph", zh="属于这张计算图")
    freed = LocalText(en="uses the graph up", zh="用掉了这张计算图")
    again = LocalText(en="needs the graph again", zh="又要用这张计算图")
    cut = LocalText(
        en="gives the name {tensor} to a new tensor", zh="让 {tensor} 这个名字指向了新张量"
    )
    ends = LocalText(en="the graph ends here", zh="计算图在这里中断")
    not_recorded = LocalText(en="not recorded", zh="没有被记录")
    given_back = LocalText(en="gives back other values", zh="取回了别的值")
    misses = LocalText(en="delivers nothing there", zh="梯度到不了那里")
    switched = LocalText(en="switches gradients off", zh="在这里关闭梯度记录")
    made = LocalText(en="made in inference mode", zh="在推理模式中创建")
    looked = LocalText(en="looks for a gradient", zh="在这里取梯度")
    raises = LocalText(en="raises it", zh="在这里报错")
    was = LocalText(en="was here", zh="当时运行到这里")
    warned = LocalText(en="is warned of", zh="在这里引起警告")
    more = LocalText(en="(and {count:more write|more writes})", zh="（之后还有 {count} 次写入）")
    it = LocalText(en="a tensor", zh="一个张量")
    result = LocalText(en="its result", zh="自己的结果")
    through = LocalText(en="; through {chain}", zh="；调用过程：{chain}")


class ExplainTexts:
    """The rest of the page."""

    first_run = LocalText(
        en="This is what its own run showed, after {seconds} s. More runs follow, to look closer.",
        zh="以上是程序自身这次运行的结果（{seconds} 秒）。接下来会再运行几次，查看细节。",
    )
    fixes = LocalText(en="What was tried, and works:", zh="试过、确实可行的改法：")
    usual = LocalText(
        en="The usual way; it computes something else, and was tried too:",
        zh="通常的写法；它计算的内容不同，也试过、可以运行：",
    )
    as_module = LocalText(
        en="This file is part of a package. Start it as a module, from the folder that holds the "
        "package: inplace-tui explain -m {module}",
        zh="这个文件属于一个包。请在包所在的文件夹里把它作为模块运行："
        "inplace-tui explain -m {module}",
    )
    taken = LocalText(
        en="What the backward of {names} returns was taken as it is; `torch.autograd.gradcheck` "
        "compares it with the forward.",
        zh="{names} 的 backward 返回什么，就按什么算；要和 forward 对照，"
        "可用 `torch.autograd.gradcheck`。",
    )
    without = LocalText(
        en="At no step of their optimizer did these parameters have a gradient: {names}.",
        zh="这些参数在优化器的每一步都没有梯度：{names}。",
    )
    no_fix = LocalText(en="No rewrite that was tried is a fix.", zh="尝试过的改法都不可行。")
    attempt = LocalText(
        en="- {title} (line {line}): {ended}", zh="- {title}（第 {line} 行）：{ended}"
    )
    elsewhere = LocalText(
        en="The write stands in {place}. Only {file} was edited, and no edit of it is a fix.",
        zh="这次写入在 {place}。只尝试修改了 {file}，其中没有可行的改法。",
    )
    within = LocalText(
        en="It went on in {place}, within one line of {file}, and only {file} is watched line by "
        "line. Explain a program in which that code stands itself.",
        zh="出错的过程在 {place}，全都发生在 {file} 的一行之内，而逐行观察的只有 {file}。"
        "请对直接包含那段代码的程序运行 explain。",
    )
    keeps = LocalText(en="keeps the gradient", zh="保留梯度")
    cuts = LocalText(en="cuts the gradient", zh="切断梯度")
    free = LocalText(en="costs no memory", zh="不多占内存")
    costs = LocalText(en="copies {size}", zh="复制 {size}")
    another = LocalText(en="another gradient: {what}", zh="梯度不同：{what}")
    time_same = LocalText(en="no measurable time", zh="不增加可测的时间")
    time_added = LocalText(
        en="adds {seconds} to a run of {run} (±{noise})",
        zh="一次运行（{run}）多用 {seconds}（±{noise}）",
    )
    time_saved = LocalText(
        en="saves {seconds} of a run of {run} (±{noise})",
        zh="一次运行（{run}）少用 {seconds}（±{noise}）",
    )
    time_unknown = LocalText(
        en="its time can't be compared: the original does not run to its end",
        zh="用时无法比较：原程序跑不到结尾",
    )
    forward_same = LocalText(en="leaves all forward values as they are", zh="前向的值不变")
    forward_changes = LocalText(en="changes the forward: {what}", zh="前向会变：{what}")
    forward_as = LocalText(
        en="changes the forward as {number} does", zh="前向的变化与 {number} 相同"
    )
    lesson = LocalText(
        en="The lesson about it: inplace-tui lesson {id}  ({title})",
        zh="相关课程：inplace-tui lesson {id}（{title}）",
    )
    runs_1 = LocalText(
        en="The program ran once, in {seconds} s.", zh="程序运行了 1 次，用时 {seconds} 秒。"
    )
    runs = LocalText(
        en="The program ran {runs} times in {seconds} s, replays and edited copies included.",
        zh="程序运行了 {runs} 次（含重放和修改过的副本），共 {seconds} 秒。",
    )
    cut_short = LocalText(
        en="There was no time for this: {what}. --budget gives more.",
        zh="时间不够，没有做完：{what}。可用 --budget 增加时间。",
    )
    between = LocalText(en="; ", zh="；")
    not_recorded = LocalText(
        en="It could not be recorded up to the failure, so the line at fault is not known.",
        zh="没能记录到出错为止，因此不知道是哪一行的问题。",
    )
    once = LocalText(
        en="It ran once only: no fixes were tried, and whether gradients are right is not known. "
        "Leave --once out for that.",
        zh="只运行了一次：没有尝试改法，也不知道梯度是否正确。去掉 --once 即可。",
    )
    no_view = LocalText(
        en="It ran once only: no fixes were tried, and whether gradients are right is not known. "
        "--in-place allows more runs, which may write to your files.",
        zh="只运行了一次：没有尝试改法，也不知道梯度是否正确。"
        "加上 --in-place 可以多次运行，但可能写入你的文件。",
    )
    ended_otherwise = LocalText(
        en="Run again, it ended otherwise ({detail}). Only the replay ended so: that is no "
        "fault of your program.",
        zh="再次运行时，结局不同（{detail}）。那只是重放的结局，不能算作程序本身的错误。",
    )
    ran_through = LocalText(
        en="Run again, it came to its end without an error, so no fix could be tried.",
        zh="再次运行时没有出错，因此无法尝试改法。",
    )
    replay_in_view = LocalText(
        en="A replay finds the files as the first run left them, writes to a copy in memory that "
        "is thrown away, and has no network but its own.",
        zh="重放时，文件是第一次运行结束后的样子；写入的内容只进内存中的副本，用完即弃；"
        "网络只有它自己的，连不到外面。",
    )
    replay_in_place = LocalText(
        en="A replay finds the files as the run before it left them.",
        zh="重放时，文件是上一次运行结束后的样子。",
    )


_TWICE = LocalText(
    en="What would tell: a program that can run twice. It may need a network, a port, a device or "
    "a file that the first run used up; `explain --once` makes do with one run.",
    zh="要能判断：程序得能运行两次。它也许需要网络、端口、设备，或者第一次运行用掉的文件；"
    "`explain --once` 只运行一次。",
)
_FEWER = LocalText(
    en="What would tell: fewer rounds, or more time (`explain --budget`).",
    zh="要能判断：减少轮数，或用 `explain --budget` 增加时间。",
)
_PLAIN = LocalText(
    en="What would tell: the same with plain tensors, without the subclass, the mode or the "
    "device that refuses this.",
    zh="要能判断：换成普通张量，去掉拒绝这样做的子类、模式或设备。",
)
NEXT = {
    Reason.RUNS_DIFFER: LocalText(
        en="What would tell: seed all that draws numbers (torch, numpy, random), and leave out "
        "what differs from run to run: workers of a DataLoader (`num_workers=0`), the time, files "
        "that it writes.",
        zh="要能判断：给所有随机数设种子（torch、numpy、random），并去掉每次运行都会变的东西："
        "DataLoader 的工作进程（`num_workers=0`）、时间、它自己写的文件。",
    ),
    Reason.ENDS_DIFFER: _TWICE,
    Reason.REPLAY_RAISED: _TWICE,
    Reason.REPLAY_DIED: _TWICE,
    Reason.REPLAY_STOPPED: _TWICE,
    Reason.TOO_MANY: _FEWER,
    Reason.REPLAY_TOO_SLOW: _FEWER,
    Reason.RETRIED: LocalText(
        en="What would tell: let the error end the program; then it is explained.",
        zh="要能判断：不要捕获这个异常，让它结束程序，再解释它。",
    ),
    Reason.OTHER_BACKWARDS: LocalText(
        en="What would tell: seed what decides which backwards are run, and leave out what reads "
        "the version or the memory of tensors.",
        zh="要能判断：给决定执行哪些反向传播的随机数设种子，并去掉读取张量版本或内存的代码。",
    ),
    Reason.NOT_CLONED: _PLAIN,
    Reason.NOT_READ: _PLAIN,
    Reason.UNREACHED: LocalText(
        en="What would tell: the same out of place, which autograd records; or `detach()` on what "
        "is written, if no gradient is meant to go there.",
        zh="要能判断：改成非原地的写法，autograd 会记录它；若本不需要那里的梯度，就对写入的值用 "
        "`detach()`。",
    ),
    Reason.CUT_UPDATE: LocalText(
        en="What would tell: the update out of place (`w = w - lr * g`), through which a backward "
        "goes; or `create_graph=False`, if the gradient is meant as a constant.",
        zh="要能判断：改用非原地的更新（`w = w - lr * g`），反向传播才能经过它；"
        "若本来就把梯度当常数，就用 `create_graph=False`。",
    ),
    Reason.WRITTEN: LocalText(
        en="What would tell: the same out of place (`x = x * 2`), which autograd records; or "
        "`x + (new - x).detach()`, if the gradient is meant to pass as it is.",
        zh="要能判断：改成非原地的写法（`x = x * 2`），autograd 会记录它；"
        "若本就要让梯度原样通过，就用 `x + (new - x).detach()`。",
    ),
    Reason.ROUNDED: LocalText(
        en="What would tell: the same with hooks that give back the very values.",
        zh="要能判断：换成原样取回数值的钩子。",
    ),
    Reason.TRANSFORMED: LocalText(
        en="What would tell: the same with `torch.autograd.grad`, or `torch.autograd.gradcheck` of "
        "the function in float64.",
        zh="要能判断：改用 `torch.autograd.grad`，或以 float64 对函数做 "
        "`torch.autograd.gradcheck`。",
    ),
    Reason.NOT_MARKED: LocalText(
        en="What would tell: call `ctx.mark_dirty` in its `forward`, and return what it wrote.",
        zh="要能判断：在它的 `forward` 里调用 `ctx.mark_dirty`，并返回被写的张量。",
    ),
    Reason.CELLS_SHARED: LocalText(
        en="What would tell: write to a `clone()`, whose elements have memory of their own.",
        zh="要能判断：写到 `clone()` 的结果里，它的每个元素都有自己的内存。",
    ),
    Reason.NOT_RECORDED: LocalText(
        en="What would tell: the same out of place, which autograd records.",
        zh="要能判断：改成非原地的写法，autograd 会记录它。",
    ),
}
"""What would tell whether a gradient is right, by what stands against that."""

UNTRIED = {
    "gradients": LocalText(en="to compare its gradients", zh="比较梯度"),
    "recording": LocalText(en="to record it up to its end", zh="逐行记录到结束"),
    "fixes": LocalText(en="to try all fixes", zh="尝试全部改法"),
}

ATTEMPTS = {
    "a": LocalText(en="it raises another error: {message}", zh="报出另一个错误：{message}"),
    "again": LocalText(en="it raises the same error", zh="仍然报同样的错误"),
    "b": LocalText(
        en="it runs, and its gradients are not those that are meant",
        zh="可以运行，但梯度不是原来要的",
    ),
    "c": LocalText(
        en="it runs, and values from before the fault are other ones",
        zh="可以运行，但出错之前的值变了",
    ),
    "d": LocalText(
        en="it runs, and what was to be written is nowhere", zh="可以运行，但要写的内容不见了"
    ),
}
"""How far an edit got that is no fix, by the condition that it does not meet."""


class AuthorTexts:
    """What only the author can answer, where no edit is a fix."""

    which_value = LocalText(
        en="What only you can say: is the gradient to be that of {tensor} as it was before line "
        "{line}, or as it is after it? For the first, let line {line} write a copy; for the "
        "second, compute what needs {tensor} after line {line}.",
        zh="只有你能回答：梯度应按第 {line} 行之前的 {tensor} 计算，还是之后的？"
        "前者请让第 {line} 行写入副本；后者请在第 {line} 行之后再计算用到 {tensor} 的部分。",
    )
    part_or_update = LocalText(
        en="What only you can say: is line {line} a part of what is differentiated, or an update "
        "of {tensor}? For the first, give its result another name; for the second, write under "
        "`torch.no_grad()`.",
        zh="只有你能回答：第 {line} 行是要求导的计算，还是对 {tensor} 的更新？"
        "前者请给结果另起名字；后者请在 `torch.no_grad()` 里写。",
    )


class AnnotationTexts:
    """What stands beside a line in a pull request or an editor."""

    fault = LocalText(en="The line at fault: `{source}`.", zh="出错的一行：`{source}`。")
    also = LocalText(en="It was written here, too.", zh="这里也写了它。")
    saved = LocalText(en="{node} saved the tensor here.", zh="{node} 在这里保存了这个张量。")
    needed = LocalText(en="It shows here: {error}", zh="在这里表现出来：{error}")
    fix = LocalText(en="A fix that was run: {title}", zh="运行过的改法：{title}")


class PatchTexts:
    """What `--patch` and `--apply` say."""

    none = LocalText(en="{file}: there is no fix to take.", zh="{file}：没有可用的改法。")
    no_such = LocalText(
        en="{file}: there is no fix {number}; the last one is {last}.",
        zh="{file}：没有第 {number} 种改法，最后一种是第 {last} 种。",
    )
    changed = LocalText(
        en="{file} was edited meanwhile: it is left as it is.",
        zh="{file} 在此期间被修改过：保持原样不动。",
    )
    half = LocalText(
        en="An earlier fix was cut short while it was written: {names} are not of one piece. "
        "`inplace-tui` asks at its start whether to complete or to undo it.",
        zh="之前的一次改写被中断，{names} 前后不一致。启动 `inplace-tui` 时可选择完成或撤销。",
    )
    elsewhere = LocalText(
        en="The patch is for the folder {folder}.", zh="这个补丁要在文件夹 {folder} 里应用。"
    )
    written = LocalText(
        en="{file} was changed (fix {number}); the old file is {kept}.",
        zh="已修改 {file}（第 {number} 种改法）；原文件保存为 {kept}。",
    )
    runs = LocalText(
        en="It ran once more, bare, without an error.", zh="又直接运行了一次：没有报错。"
    )
    raises = LocalText(
        en="It ran once more, bare, and ended otherwise: {why}",
        zh="又直接运行了一次，但结果不同：{why}",
    )


STAGES = {
    "waiting": LocalText(en="waiting", zh="等待中"),
    "running": LocalText(en="running", zh="运行中"),
    "comparing": LocalText(en="comparing gradients", zh="比较梯度"),
    "recording": LocalText(en="recording line by line", zh="逐行记录"),
    "inside": LocalText(en="looking into the call", zh="查看调用内部"),
    "fixing": LocalText(en="trying fixes", zh="尝试改法"),
    "loading": LocalText(en="loading torch", zh="正在加载 torch"),
}
"""What is done just now."""


class StageTexts:
    """The progress of an explanation: a line that is rewritten, and one from time to time."""

    line = LocalText(
        en="{done}/{total}  {name}  {stage}  run {runs}, {seconds} s",
        zh="{done}/{total}  {name}  {stage}  第 {runs} 次运行，{seconds} 秒",
    )
    tried = LocalText(en="{stage}, {tried} of {total} tried", zh="{stage}，已试 {tried}/{total}")
    sparse = LocalText(
        en="{name}: {stage} (run {runs}), after {seconds} s",
        zh="{name}：{stage}（第 {runs} 次运行），已用 {seconds} 秒",
    )
