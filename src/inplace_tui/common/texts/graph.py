"""What is said about the backward graph, in its panel and in pictures of it."""

from __future__ import annotations

from inplace_tui.common.local_text import T


class GraphTexts:
    """The graph panel."""

    none = T("No graph: nothing recorded for backward yet.")
    gone = T("No graph here: what led to it is gone. Earlier steps have it.")
    saved_at = T("saved v{version}")
    now = T("now v{version}")
    stale = T("stale")
    stale_by = T("stale: {line}")
    comma = T(", ")
    freed = T("freed")
    hooked = T("hooked, not checked")
    opaque = T("hides what it saved")
    line = T("line {line}")
    lines = T("lines {first}–{last}")
    new = T("+ new")
    undrawn = T("{count:more input|more inputs}: {names}")
    unlinked = T("used by {name}")
    raised = T("raised")
    ran = T("ran")
    unreached = T("not reached")
    gives_to = T("→ {names}")
    way = T("Backward came this way: {names}")
    more = T("… {count} more saved")
    stales = T("! {count} stale")
    picture = T("Backward graph: {nodes:node|nodes}")
