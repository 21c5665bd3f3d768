"""What the export says: what can be taken out, where it went, and why not."""

from __future__ import annotations

from inplace_tui.common.local_text import T


class ExportTexts:
    """The export dialog and its notices."""

    export = T("Export")
    lead = T("1–9 or Enter takes it · Esc closes")
    panel_copy = T("{panel}, as text: to the clipboard")
    panel_file = T("{panel}, as text: to a file")
    graph_svg = T("The graph, as a picture (SVG)")
    graph_dot = T("The graph, for Graphviz (DOT)")
    timeline = T("The timeline, with everything (JSON)")
    page = T("The whole run, as a page (HTML)")
    about_page = T("every step, for any browser; hides what a question hides")
    about_panel = T("the focused panel")
    about_graph = T("at this step")
    about_timeline = T("the same document as inplace-tui run --format json")
    # Why not.
    empty = T("This panel is empty.")
    no_graph = T("There is no graph at this step.")
    questions_open = T("The timeline tells how it ends: answer every question first.")
    question_open = T("The run would tell the answer: answer the question first.")
    not_over = T("The run, or the check of its gradients, still goes on.")
    no_run = T("Nothing has run yet.")
    # Where it went.
    prompt = T("Write to which file?")
    working = T("Writing…")
    written = T("{name} is written ({count:byte|bytes}), in {folder}")
    copied = T(
        "Copied {lines:line|lines}. If nothing arrives, this terminal refuses OSC 52; "
        "{key} writes a file."
    )
    copied_large = T("{lines:line|lines}: more than some terminals take. They are in {path}, too.")
    # Paths.
    paths_lead = T("Enter accepts, Tab completes, Esc goes back. ~ is your home folder.")
    paths_none = T("Nothing begins like this.")
    paths_more = T("{names} … {count} in all")
