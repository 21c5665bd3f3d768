"""The welcome: what this is, one real crash, and where to go from there."""

from __future__ import annotations

from inplace_tui.common.local_text import T


class WelcomeTexts:
    """What it says, a step a key."""

    title = T("Welcome {place}/{total}")
    what = T(
        "This program runs PyTorch code line by line and shows what every in-place write, such "
        "as `w -= g`, does to the gradients. When backward fails, or is silently wrong, it names "
        "the line that did it."
    )
    program = T("Six lines that look harmless:")
    run = T("`{key}` runs them.")
    running = T("They are running; torch takes a moment to load …")
    message = T("They ran, and this is all that PyTorch says:")
    ask_line = T("It names no line of the program. `{key}` does.")
    named = T("The same run, as it is shown here:")
    choose = T("`{key}` goes on to what you can do.")
    choose_one = T("{keys[learn]}, {keys[ask]} or {keys[play]} goes on from here.")
    where = T("What would you like to do?")
    learn = T("Learn: a course of short lessons; it begins with one minute on the screen.")
    ask = T("Ask: open a script that fails, or paste its message, and see which line did it.")
    play = T("Play: write any program, and watch what each line does.")
    later = T("`{key}` leads to the contents; `{again}` there shows this again.")


CHOICES = (("learn", WelcomeTexts.learn), ("ask", WelcomeTexts.ask), ("play", WelcomeTexts.play))
"""Actions of the last step, in their order."""
