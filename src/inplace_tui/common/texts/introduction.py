"""What the introduction asks for. `{keys[0]}` is the key that does it at this moment."""

from __future__ import annotations

from inplace_tui.common.local_text import T

TASK_TEXTS = {
    "next": T("Press `{keys[0]}` to run the first line. A program runs one line at a time here."),
    "write": T(
        "Press `{keys[0]}` until `y.add_(1)` has run. `~` marks what a line changed: here "
        "the version and the values of `y`."
    ),
    "back": T("Press `{keys[0]}` to go back a line. Nothing runs twice: everything was recorded."),
    "graph": T(
        "Press `{keys[0]}` for the graph that backward will walk, with what it saved. Every "
        "panel has a number."
    ),
    "zoom": T(
        "Press `{keys[0]}` to give this panel the whole screen, and `{keys[0]}` again to put "
        "it back."
    ),
    "continue": T("Press `{keys[0]}` to run on to the next question."),
    "answer": T(
        "What will happen? `{keys[0]}` or `{keys[1]}` marks an answer, `{keys[2]}` gives it. "
        "Until then, whatever gives it away is hidden; a wrong answer costs nothing."
    ),
    "why": T(
        "Press `{keys[0]}`: why did it end so? With the cursor on a cell of the table or on a "
        "node, the same key explains that."
    ),
    "done": T(
        "That is all. `{keys[2]}` opens the first lesson; `{keys[0]}` lists every key where "
        "you are, `{keys[1]}` every command."
    ),
}


class IntroductionTexts:
    """Around the tasks."""

    title = T("Introduction {place}/{total}")
    over = T("Introduction")
    skip = T("One minute, once. {key} ends it; {again} in the contents shows it again.")
