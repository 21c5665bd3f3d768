"""What is said about the backward graph, in its panel and in pictures of it."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText as T


class GraphTexts:
    """The graph panel."""

    none = T(
        en="No graph: nothing recorded for backward yet.", zh="还没有计算图：没有被记录的运算。"
    )
    gone = T(
        en="No graph here: what led to it is gone. Earlier steps have it.",
        zh="这里没有计算图：通向它的张量都不在了。前面的步骤里有。",
    )
    saved_at = T(en="saved v{version}", zh="保存 v{version}")
    now = T(en="now v{version}", zh="现为 v{version}")
    stale = T(en="stale", zh="已过期")
    stale_by = T(en="stale: {line}", zh="过期：{line}")
    comma = T(en=", ", zh="，")
    freed = T(en="freed", zh="已释放")
    hooked = T(en="hooked, not checked", zh="由钩子打包，不做检查")
    opaque = T(en="hides what it saved", zh="看不到它保存了什么")
    line = T(en="line {line}", zh="第 {line} 行")
    lines = T(en="lines {first}–{last}", zh="第 {first}–{last} 行")
    new = T(en="+ new", zh="+ 新")
    undrawn = T(en="{count:more input|more inputs}: {names}", zh="另有 {count} 个输入：{names}")
    unlinked = T(en="used by {name}", zh="用于 {name}")
    raised = T(en="raised", zh="在此报错")
    ran = T(en="ran", zh="已运行")
    unreached = T(en="not reached", zh="未到达")
    gives_to = T(en="→ {names}", zh="→ {names}")
    way = T(en="Backward came this way: {names}", zh="反向传播经过：{names}")
    more = T(en="… {count} more saved", zh="… 另保存了 {count} 个")
    stales = T(en="! {count} stale", zh="! {count} 个已过期")
    picture = T(en="Backward graph: {nodes:node|nodes}", zh="反向传播计算图：{nodes} 个节点")
