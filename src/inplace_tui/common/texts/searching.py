"""What the line says in which one searches a panel."""

from __future__ import annotations

from inplace_tui.common.local_text import T


class SearchTexts:
    """The line in which a panel is searched."""

    none = T("not found")
    no_match = T("Nothing in this panel matches.")
    only_match = T("This is the only match.")
    at = T("{at} of {count}")
    keys = T("↑↓ Enter next  Esc close")
    graph = T("name, operation, :7 (a line), stale, leaf")
    text = T("text in this panel")
    choose_node = T("Choose a node first, with the arrow keys.")
    no_line = T("No line of the program made this node.")
    no_nodes = T("There is no graph yet to go to.")
    no_node = T("No node of the graph was made by line {line}.")
