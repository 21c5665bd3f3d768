"""What is said of lessons that lead to lessons."""

from __future__ import annotations

from inplace_tui.common.local_text import T


class ConceptMapTexts:
    """The concept map."""

    title = T("What leads to what")
    lead = T("← → ↑ ↓ go along · Enter opens · / as a list · Esc closes")
    list_title = T("All lessons: what leads to what")
    list_lead = T("Enter opens a lesson · Esc closes")
    go_along = T("Go along the map: to what a lesson needs, to its chapter, to where it leads.")
    as_list = T("Show the whole map as a list.")
    before = T("needs")
    after = T("leads to")
    nothing = T("nothing")
    needs = T("needs    ")
    teaches = T("teaches  ")
    opens = T("leads to ")
