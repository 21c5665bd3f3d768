"""What the lanes say."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText as T


class LaneTexts:
    """The storage lanes."""

    none = T(en="No storages yet.", zh="还没有存储。")
    legend = T(
        en="○ made  ● written  ◆ written, version kept  ! saved, then written  ∅ freed  "
        "─ alive  ━ saved by a node  ╍ saved, stale  ∂ gradient  └ same storage",
        zh="○ 新建  ● 写入  ◆ 写入，版本号不变  ! 保存后又被写入  ∅ 已释放  ─ 存活  "
        "━ 被节点保存  ╍ 保存的已过期  ∂ 梯度  └ 共享存储",
    )
    unnamed = T(en="(unnamed)", zh="（无名）")
    step = T(en="step", zh="步")
    line = T(en="line", zh="行")
    at = T(en="step {step}, line {line}", zh="第 {step} 步，第 {line} 行")
    from_ = T(en="steps {first}–{last}", zh="第 {first}–{last} 步")
    before = T(en="before the first step", zh="第一步之前")
    made = T(en="made", zh="新建")
    freed = T(en="freed", zh="已释放")
    write = T(en="1 write", zh="写入 1 次")
    writes = T(en="{count} writes", zh="写入 {count} 次")
    versions = T(en="v{before} → v{after}", zh="v{before} → v{after}")
    kept = T(en="{count} without a new version", zh="其中 {count} 次版本号不变")
    held = T(en="saved by {count}", zh="被 {count} 处保存")
    stale = T(en="{count} of them stale", zh="其中 {count} 处已过期")
    released = T(en="no longer saved", zh="不再被保存")
    ahead = T(en="(ahead) {when}", zh="（尚未发生）{when}")
    happened = T(en="{when}: {event}", zh="{when}：{event}")
    life = T(en="{name}: ", zh="{name}：")
    then = T(en="; ", zh="；")
    earlier = T(en="… {count} earlier", zh="… 更早的 {count} 处")
    beside = T(en="on {letter}", zh="在 {letter} 上")
    most = T(en="… {count:more storage|more storages}", zh="… 另有 {count:,} 块存储")
    absent = T(en="not there", zh="不存在")
    nothing = T(en="nothing happened", zh="无事发生")
    and_ = T(en=", ", zh="，")
    closest = T(en="Every step has all the room it can have.", zh="已经放到最大。")
    whole = T(en="The whole run is in sight.", zh="已显示整个运行过程。")
    zoomed = T(
        en="Storages has other columns now; {keys[panel.6]} shows it.",
        zh="“存储”面板的列宽已改变，按 {keys[panel.6]} 查看。",
    )
    gone = T(
        en="That tensor is not there at this step; nothing to choose in the table.",
        zh="这一步没有这个张量，表中无法选中。",
    )
    goto = T(en="Go where? 123, 50%, :7, model.py:7", zh="跳到哪里？123、50%、:7、model.py:7")
    goto_lead = T(
        en="A step, a share of the run, or a line. Enter goes, Esc stays.",
        zh="步数、运行的百分比，或行号。Enter 跳转，Esc 取消。",
    )
    goto_unknown = T(
        en="“{text}” is no place in a run: write 123 for a step, 50% for half way, :7 for line 7.",
        zh="“{text}”不是运行中的位置：123 表示第 123 步，50% 表示中间，:7 表示第 7 行。",
    )
    help = T(
        en="{lanes}: one row per storage, one column per step or per so many steps. A mark is what "
        "happened, a digit after it how often (+ is ten or more) or the version it led to; `∅` is "
        "the end. The strip on top is the whole run: ━ is in sight, ◂ a backward, ✗ a failure, "
        "? a question. What is right of the cursor has not happened yet.",
        zh="{lanes}：每个存储一行，每一步（或每若干步）一列。标记表示发生了什么，后面的数字是次数"
        "（+ 表示十次以上）或写入后的版本号，`∅` 表示释放。最上面是整个运行过程：━ 是当前视野，"
        "◂ 是反向传播，✗ 是报错，? 是提问。光标右侧尚未发生。",
    )
