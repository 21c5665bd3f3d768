"""What the line says in which one searches a panel."""

from __future__ import annotations

from inplace_tui.common.local_text import LocalText as T


class SearchTexts:
    """The line in which a panel is searched."""

    none = T(en="not found", zh="没有找到")
    no_match = T(en="Nothing in this panel matches.", zh="本面板中没有匹配的内容。")
    only_match = T(en="This is the only match.", zh="只有这一处。")
    at = T(en="{at} of {count}", zh="第 {at} 处，共 {count} 处")
    keys = T(en="↑↓ Enter next  Esc close", zh="↑↓ Enter 下一处  Esc 关闭")
    graph = T(
        en="name, operation, :7 (a line), stale, leaf",
        zh="名称、运算、:7（行号）、stale（过期）、leaf（叶子）",
    )
    text = T(en="text in this panel", zh="本面板中的文字")
    choose_node = T(en="Choose a node first, with the arrow keys.", zh="请先用方向键选一个节点。")
    no_line = T(en="No line of the program made this node.", zh="没有哪一行程序创建了这个节点。")
    no_inputs = T(en="No edge leads on from this node.", zh="这个节点之后没有边了。")
    no_users = T(en="No node uses this one.", zh="没有节点使用它。")
    no_way = T(en="No edge was followed here yet.", zh="还没有沿着边走过。")
    no_nodes = T(en="There is no graph yet to go to.", zh="还没有计算图可去。")
    no_node = T(
        en="No node of the graph was made by line {line}.",
        zh="计算图中没有由第 {line} 行创建的节点。",
    )
